// One request: where its time went, in words and on its own axis of time. An autopsy and a replay show it alike. It has micros, parts ([cause, detail, from, to]) and events around
// it ([kind, what, color, from, to]); all times are microseconds since it was due.
const ofMicros = micros => ms(micros / 1000);

/** Time of a request by cause, largest first. */
function totals(request) {
  const sums = new Map();
  for (const [cause, detail, from, to] of request.parts) {
    const key = cause + "|" + detail;
    sums.set(key, (sums.get(key) || 0) + to - from);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([key, micros]) => {
    const [cause, detail] = key.split("|");
    return {cause: data.causes[cause], detail, micros};
  });
}

const inWords = request => totals(request).filter(part => part.micros > 0.005 * request.micros)
  .map(part => `${(100 * part.micros / request.micros).toFixed(0)} % ${part.cause.words}${part.detail ? ` (${part.detail})` : ""}`).join(", ");

function drawRequest(svg, request) {
  svg.replaceChildren();
  const width = svg.clientWidth || 600, left = 112, right = 14;
  const kinds = [...new Set(request.events.map(event => event[0]))];
  const height = 62 + 18 * kinds.length;
  svg.setAttribute("height", height);
  svg.setAttribute("aria-label", `${ofMicros(request.micros)}: ${inWords(request)}`);
  const x = micros => left + Math.min(1, Math.max(0, micros / request.micros)) * (width - left - right);
  draw(svg, "text", {x: left - 6, y: 20, "text-anchor": "end"}, "request");
  for (const [cause, detail, from, to] of request.parts) {
    const part = draw(svg, "rect", {x: x(from), y: 6, width: Math.max(0.3, x(to) - x(from)), height: 22, fill: data.causes[cause].color, stroke: "#fff", "stroke-opacity": 0.35, "stroke-width": 0.5});
    draw(part, "title", {}, `${data.causes[cause].words}${detail ? ` (${detail})` : ""}: ${ofMicros(to - from)}, after ${ofMicros(from)}`);
  }
  kinds.forEach((kind, row) => {
    draw(svg, "text", {x: left - 6, y: 48 + 18 * row, "text-anchor": "end"}, kind.toLowerCase());
    for (const [, what, color, from, to] of request.events.filter(event => event[0] === kind)) {
      const event = draw(svg, "rect", {x: x(from), y: 37 + 18 * row, width: Math.max(1, x(to) - x(from)), height: 13, fill: color});
      draw(event, "title", {}, `${kind.toLowerCase()}${what ? ` (${what})` : ""}: ${ofMicros(to - from)}${from < 0 ? ", begun before the request was due" : ""}`);
    }
  });
  const y = height - 24;
  draw(svg, "line", {x1: left, x2: width - right, y1: y, y2: y, class: "axis"});
  draw(svg, "text", {x: left, y: y + 14}, "due");
  draw(svg, "text", {x: (left + width - right) / 2, y: y + 14, "text-anchor": "middle"}, ofMicros(request.micros / 2));
  draw(svg, "text", {x: width - right, y: y + 14, "text-anchor": "end"}, ofMicros(request.micros));
}
