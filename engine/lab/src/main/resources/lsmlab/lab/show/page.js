// What all pages share: their data, drawing in SVG, times in words.
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const byId = id => document.getElementById(id);

function ms(value) {
  return value >= 999.5 ? (value / 1000).toPrecision(3) + " s" : (value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3))) + " ms";
}

function draw(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

/** Calls drawAll now and whenever the page has another width. In a sandboxed frame the first width comes late. */
function redrawWithWidth(drawAll) {
  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth !== width) {
      width = document.body.clientWidth;
      drawAll();
    }
  }).observe(document.body);
}
