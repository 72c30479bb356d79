// SPDX-License-Identifier: Apache-2.0
// Draws what simulators.js computes: the runs a merge policy leaves, and the keys that change their node.
const COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b"];
const POLICIES = ["binomial", "doubling", "all", "never"];
const KEYS = 400;
const COLUMNS = 40;
const SIDE = 20;
const byId = id => document.getElementById(id);

function rectangle(x, y, width, height, fill, text, frame) {
  const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({x, y, width, height, fill})) part.setAttribute(name, value);
  if (frame) part.setAttribute("style", "stroke: #111; stroke-width: 3");
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = text;
  part.append(title);
  return part;
}

function row(cells, kind) {
  const line = document.createElement("tr");
  for (const cell of cells) {
    const part = document.createElement(kind);
    part.textContent = cell;
    line.append(part);
  }
  return line;
}

// As many bars as there are runs, newest left; a bar's height is the logarithm of its size.
function showMerging() {
  const policy = byId("policy").value, limit = Number(byId("limit").value), count = Number(byId("flushes").value);
  byId("limit-out").value = limit;
  byId("flushes-out").value = count;
  const left = Array.from(runs(policy, limit, count));
  byId("written").textContent = `Each byte was written ${writeAmplification(policy, limit, count).toFixed(2)} times; ${left.length} runs are left, the newest on the left.`;
  const width = Math.min(60, 800 / left.length), highest = Math.log2(Math.max(...left) + 1);
  byId("bars").replaceChildren(...left.map((size, i) => {
    const height = 210 * Math.log2(size + 1) / highest;
    return rectangle(i * width, 220 - height, Math.max(0.5, width - 3), height, COLOURS[0], `${size}`);
  }));
  byId("policies").replaceChildren(row(["policy", "each byte written", "runs left"], "th"),
    ...POLICIES.map(each => row([each, writeAmplification(each, limit, count).toFixed(2), runs(each, limit, count).length], "td")));
}

function showSharding() {
  const rule = byId("rule").value, nodes = Number(byId("nodes").value);
  byId("nodes-out").value = nodes;
  const before = Array.from(owners(rule, nodes, KEYS)), after = Array.from(owners(rule, nodes + 1, KEYS));
  const changed = after.filter((node, i) => node !== before[i]).length;
  byId("moved").textContent = `From ${nodes} to ${nodes + 1} nodes, ${changed} of ${KEYS} keys move (${(100 * changed / KEYS).toFixed(1)} %). The new node's share is ${(100 / (nodes + 1)).toFixed(1)} %.`;
  byId("keys").replaceChildren(...after.map((node, i) =>
    rectangle(i % COLUMNS * SIDE + 2, Math.floor(i / COLUMNS) * SIDE + 2, SIDE - 4, SIDE - 4, COLOURS[node], `key${i}: node ${before[i]}, then ${node}`, node !== before[i])));
}

for (const id of ["policy", "limit", "flushes"]) byId(id).addEventListener("input", showMerging);
for (const id of ["rule", "nodes"]) byId(id).addEventListener("input", showSharding);
showMerging();
showSharding();
