// What all pages share: their data, and that they are drawn again at another width.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

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
