// The engine at one moment: memtables, runs by level, what a GET asks. A replay and a live picture draw it alike.
const LEFT = 112, RIGHT = 14, TOP = 18, ROW = 40, BOX = 28;
const FRESH = 500; // milliseconds

const key = run => run[0] + "/" + run[1];

class EnginePicture {
  /** @param threshold bytes at which a memtable is full */
  constructor(svg, colors, threshold) {
    const scale = {threshold, levels: 1, widest: 1}; // of all frames, so that boxes keep their scale: how many levels, and the bytes of the widest
    Object.assign(this, {svg, colors, scale, runs: new Map(), seen: new Map(), isFirst: true});
  }

  /** Must be told of every frame, in order, before it draws one: a run that was not there before is new. */
  learn(frame) {
    const levels = frame.runs.reduce((deepest, run) => Math.max(deepest, run[0]), 0) + 1;
    this.scale.levels = Math.max(this.scale.levels, levels);
    for (let level = 0; level < levels; level++) {
      const bytes = frame.runs.filter(run => run[0] === level).reduce((sum, run) => sum + run[3], 0);
      this.scale.widest = Math.max(this.scale.widest, bytes);
    }
    for (const run of frame.runs) if (!this.seen.has(key(run))) this.seen.set(key(run), this.isFirst ? -Infinity : frame.at);
    this.isFirst = false;
  }

  /**
   * Draws a frame and says it in words.
   * @param last the frame before it, for what happened a second
   * @param now moves the drops that fall into the memtable, in milliseconds
   */
  draw(frame, last, stalled, now, also) {
    const {svg, scale} = this, width = svg.clientWidth || 700;
    svg.setAttribute("height", TOP + ROW * (scale.levels + 1) + 44);
    svg.querySelectorAll(".again").forEach(element => element.remove());
    const rate = rates(frame, last);
    this.drawMemory(frame, rate, stalled, now);
    this.drawRuns(frame, width);
    const gets = this.drawGets(frame, rate, width, TOP + ROW * (scale.levels + 1));
    const tables = frame.runs.reduce((sum, run) => sum + run[2], 0);
    const words = [`memtable ${Math.round(100 * frame.active / scale.threshold)} % full`, `${frame.frozen.length} waiting for their flush`,
      `${frame.runs.length} ${frame.runs.length === 1 ? "run" : "runs"} with ${count(tables)} tables`, `${count(rate.writes)} writes/s`, gets, stalled ? "writes stall" : "", also]
      .filter(Boolean).join(", ");
    svg.setAttribute("aria-label", words);
    return words;
  }

  again(name, attributes, text) {
    return draw(this.svg, name, {...attributes, class: "again " + (attributes.class || "")}, text);
  }

  drawMemory(frame, rate, stalled, now) {
    const y = TOP, box = 150, full = Math.min(1, frame.active / this.scale.threshold), {colors} = this;
    this.again("text", {x: LEFT - 8, y: y + 18, "text-anchor": "end"}, "memory");
    this.again("rect", {x: LEFT, y, width: box * full, height: BOX, fill: colors.WORK, "fill-opacity": 0.55});
    this.again("rect", {x: LEFT, y, width: box, height: BOX, fill: "none", stroke: stalled ? colors.STALL : colors.WORK, "stroke-width": stalled ? 4 : 1.5});
    this.again("text", {x: LEFT + 6, y: y + 18}, stalled ? "full: writes stall" : "memtable " + mb(frame.active));
    const drops = rate.writes > 0 ? Math.ceil(Math.log10(rate.writes + 1)) : 0; // as many as the rate has digits
    for (let drop = 0; drop < drops; drop++) {
      this.again("circle", {cx: LEFT + 20 + drop * 22, cy: 2 + (now / 18 + drop * 7) % 16, r: 3, fill: colors.WORK});
    }
    frame.frozen.forEach((bytes, number) => {
      const x = LEFT + box + 12 + number * 90;
      this.again("rect", {x, y, width: 84, height: BOX, fill: colors.DISK, "fill-opacity": 0.8});
      this.again("text", {x: x + 4, y: y + 18, class: "inside"}, (number === frame.frozen.length - 1 ? "flush " : "wait ") + mb(bytes)); // the oldest is flushed first
    });
  }

  drawRuns(frame, width) {
    const room = width - LEFT - RIGHT, used = new Set(), {scale, svg} = this;
    for (let level = 0; level < scale.levels; level++) {
      const y = TOP + ROW * (level + 1);
      const runs = frame.runs.filter(run => run[0] === level);
      this.again("text", {x: LEFT - 8, y: y + 18, "text-anchor": "end"}, "level " + level);
      let x = LEFT;
      for (const run of runs) {
        const wide = Math.max(3, run[3] / scale.widest * (room - 3 * runs.length));
        const box = this.box(run);
        Object.assign(box.style, {x: x + "px", y: y + "px", width: wide + "px", opacity: 0.75, fill: this.colorOf(run, frame)});
        box.firstChild.textContent = `run ${run[1]} on level ${run[0]}: ${run[2]} ${run[2] === 1 ? "table" : "tables"}, ${mb(run[3])}${run[4] ? ", being merged" : ""}`;
        const text = run[2] === 1 ? mb(run[3]) : `${mb(run[3])}, ${run[2]} tables`;
        if (wide > 7 * text.length) this.again("text", {x: x + 4, y: y + 18, class: "inside"}, text);
        used.add(key(run));
        x += wide + 3;
      }
    }
    for (const [run, box] of this.runs) {
      if (!used.has(run)) {
        this.runs.delete(run);
        box.style.opacity = 0;
        setTimeout(() => box.remove(), 220);
      }
    }
    svg.querySelectorAll(".again").forEach(element => svg.appendChild(element)); // names above boxes
  }

  /** Of a run; boxes stay from frame to frame, so that they move. */
  box(run) {
    let box = this.runs.get(key(run));
    if (!box) {
      box = draw(this.svg, "rect", {class: "moves", height: BOX, rx: 3, opacity: 0});
      draw(box, "title", {});
      this.runs.set(key(run), box);
    }
    return box;
  }

  /** Green for the inputs of a merge and for a new run that it made, orange for a new run of a flush. */
  colorOf(run, frame) {
    const isNew = frame.at - this.seen.get(key(run)) < FRESH;
    return run[4] || isNew && run[0] ? this.colors.COMPACTION : isNew ? this.colors.DISK : this.colors.OTHER;
  }

  /** What a GET asks, on average; returns it in words. */
  drawGets(frame, rate, width, y) {
    if (!(rate.gets > 0)) return "";
    const parts = [["tables searched", rate.tablesAsked, 0.85], ["runs skipped by the map", rate.prunedByMap ?? 0, 0.6], // older replays do not count them
      ["tables skipped by their filter", rate.prunedByBloom, 0.4], ["tables skipped by their range", rate.prunedByRange, 0.15]]
      .map(([words, all, opacity]) => ({words, each: all / rate.gets, opacity}));
    const all = parts.reduce((sum, part) => sum + part.each, 0);
    this.again("text", {x: LEFT - 8, y: y + 18, "text-anchor": "end"}, "a GET asks");
    let x = LEFT;
    for (const part of parts) {
      const wide = all ? part.each / all * (width - LEFT - RIGHT) : 0;
      this.again("rect", {x, y: y + 4, width: wide, height: 18, fill: this.colors.WORK, "fill-opacity": part.opacity});
      x += wide;
    }
    const memtables = frame.frozen.length ? `${1 + frame.frozen.length} memtables` : "1 memtable";
    const others = parts.filter(part => part.each >= 0.05).map(part => `${part.each.toFixed(part.each < 10 ? 1 : 0)} ${part.words}`);
    return `${count(rate.gets)} GET/s; each: ${[memtables, ...others].join(", ")}`;
  }
}

/** Counted a second between two frames. */
function rates(frame, last) {
  const seconds = Math.max(0.001, (frame.at - last.at) / 1000);
  return Object.fromEntries(Object.keys(frame.counts).map(name => [name, (frame.counts[name] - last.counts[name]) / seconds]));
}
