// SPDX-License-Identifier: Apache-2.0
// Finds the sections that have all words of what is typed, those whose heading has them first.
const field = document.getElementById("search");
const list = document.getElementById("found");
const MOST = 20;
const AROUND = 90; // letters on each side of the first word

function snippet(text, word) {
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, at - AROUND);
  return (from > 0 ? "…" : "") + text.slice(from, at + AROUND) + "…";
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  list.replaceChildren();
  if (words.length === 0) return;
  const has = (text, all) => all.every(word => text.toLowerCase().includes(word));
  const found = SECTIONS.filter(section => has(section.heading + " " + section.text, words));
  found.sort((a, b) => has(b.heading, words) - has(a.heading, words));
  for (const section of found.slice(0, MOST)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = section.page + (section.anchor ? "#" + section.anchor : "");
    link.textContent = `${section.title}: ${section.heading}`;
    const words_ = words.filter(word => section.text.toLowerCase().includes(word));
    const text = document.createElement("small");
    text.textContent = words_.length ? snippet(section.text, words_[0]) : "";
    item.append(link, text);
    list.append(item);
  }
  if (found.length === 0) list.append("nothing has all of these words");
}

field.addEventListener("input", show);
