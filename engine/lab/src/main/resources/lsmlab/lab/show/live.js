// The engine while a load runs: a widget's part in the page. Each frame that the kernel sends is drawn, and below it a column of response times.
const WINDOW = 60_000, SHORTEST = 10_000; // milliseconds on the axis: at most, at least
const HEAT = 120, LATE = 1_500;

function render({model, el}) {
  el.classList.add("lsmlab-live");
  const title = el.appendChild(Object.assign(document.createElement("p"), {textContent: model.get("label")}));
  const svg = draw(el, "svg", {role: "img"});
  const words = el.appendChild(document.createElement("p"));
  const canvas = el.appendChild(Object.assign(document.createElement("canvas"), {height: HEAT}));
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "how long requests took in the server, by when, and stalls of writes");
  const colors = model.get("colors"), picture = new EnginePicture(svg, colors, model.get("threshold"));
  let frames = [], late = 0;
  title.style.fontWeight = "bold";

  function show() {
    const frame = model.get("frame");
    if (!frame.runs) return;
    picture.learn(frame);
    frames = [...frames, frame].filter(one => one.at > frame.at - WINDOW);
    words.textContent = picture.draw(frame, frames.at(-2) || frame, frame.stall, frame.at, "");
    drawHeat();
    clearTimeout(late);
    late = setTimeout(() => words.textContent = "no frame for more than a second: the process is stopped, or the run has ended", LATE);
  }

  /** On a canvas: up to a thousand cells, two to three times a second. */
  function drawHeat() {
    const scale = window.devicePixelRatio || 1, width = canvas.clientWidth || 700, rows = model.get("rows"), decade = model.get("rowsADecade");
    Object.assign(canvas, {width: width * scale, height: HEAT * scale});
    canvas.style.height = HEAT + "px";
    const pen = canvas.getContext("2d"), last = frames.at(-1).at, length = Math.max(SHORTEST, last - frames[0].at);
    pen.scale(scale, scale);
    const bottom = HEAT - 16, tall = (bottom - 10) / rows, x = at => LEFT + (at - (last - length)) / length * (width - LEFT - RIGHT);
    frames.forEach((frame, number) => {
      const from = x(number ? frames[number - 1].at : frame.at), wide = Math.max(1, x(frame.at) - from), counts = new Map();
      frame.rows.forEach(row => counts.set(row, (counts.get(row) || 0) + 1));
      pen.fillStyle = colors.WORK;
      for (const [row, requests] of counts) {
        pen.globalAlpha = Math.max(0.12, 1 + Math.log10(requests / frame.rows.length) / 2);
        pen.fillRect(from, bottom - (row + 1) * tall, wide, tall);
      }
      pen.globalAlpha = 1;
      pen.fillStyle = colors.STALL;
      if (frame.stall) pen.fillRect(from, 0, wide, 6);
    });
    pen.fillStyle = getComputedStyle(el).color;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    for (let row = 0; row <= rows; row += 2 * decade) pen.fillText(ms(model.get("leastMs") * 10 ** (row / decade)), LEFT - 8, bottom - row * tall + 4);
    pen.fillText("now", width - RIGHT, HEAT - 3);
    pen.textAlign = "left";
    pen.fillText(`${Math.round(length / 1000)} s ago`, LEFT, HEAT - 3);
  }

  model.on("change:frame", show);
  show();
  return () => {
    clearTimeout(late);
    model.off("change:frame", show);
  };
}

export default {render};
