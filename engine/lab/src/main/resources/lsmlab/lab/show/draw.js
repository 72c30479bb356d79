// Drawing in SVG, and numbers in words.
const SVG = "http://www.w3.org/2000/svg";

function ms(value) {
  return value >= 999.5 ? (value / 1000).toPrecision(3) + " s" : (value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3))) + " ms";
}

const mb = bytes => bytes >= 1e9 ? (bytes / 1e9).toFixed(1) + " GB" : bytes >= 1e5 ? (bytes / 1e6).toFixed(1) + " MB" : Math.round(bytes / 1e3) + " kB";
const count = number => Math.round(number).toLocaleString("en");

function draw(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}
