// painter.js: lanes on a canvas. Rows are written into an image of the canvas's own pixels, each row once and then copied to its height; so a
// frame costs as many steps as there are pixels, however many slices there are. Words and arrows are drawn over it.

const LEFT = 216, AXIS = 24, ROW = 17, BAND = 24, CURVE = 22, PAD = 5;
const LEVELS = 16;
const DARK_WORDS = "#0b1220", LIGHT_WORDS = "#ffffff";
/// At most so many words and arrows in a frame.
const MOST_WORDS = 450, MOST_ARROWS = 160;

const packed = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
const mixed = (one, other, share) => one.map((part, place) => Math.round(part * share + other[place] * (1 - share)));

class Painter {
  constructor(canvas, recording) {
    [this.canvas, this.recording] = [canvas, recording];
    this.context = canvas.getContext("2d", { alpha: false });
    this.laneOfThread = new Map(recording.lanes.filter(lane => lane.kind === "thread").map(lane => [lane.index, lane]));
    this.readColors();
    this.resize();
  }

  /// Colours of the reader's setting, dark or light.
  readColors() {
    const style = getComputedStyle(document.documentElement), probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const parts = color => {
      probe.fillStyle = color;
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    this.color = name => style.getPropertyValue("--" + name).trim();
    this.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ground = parts(this.color("lane")), [saturation, light] = this.isDark ? [46, 58] : [60, 70];
    this.css = HUES.map(hue => `hsl(${hue} ${saturation}% ${light}%)`);
    const full = [...this.css.map(parts), ...this.css.map(color => mixed(parts(color), ground, 0.5)), ...["wait", "interval", "parked"].map(
      name => parts(this.color(name)))];
    this.words = full.map(([red, green, blue]) => red * 0.3 + green * 0.6 + blue * 0.1 > 118 ? DARK_WORDS : LIGHT_WORDS);
    const table = share => Uint32Array.from({ length: TINTS * (LEVELS + 1) }, (_, place) => packed(
      mixed(mixed(full[Math.floor(place / (LEVELS + 1))], ground, place % (LEVELS + 1) / LEVELS), ground, share)));
    [this.shades, this.dimmed] = [table(1), table(0.28)];
    const of = name => packed(parts(this.color(name)));
    this.pixels = Object.fromEntries(["lane", "grid", "line", "gap", "curve", "mark", "strong", "interval", "lane-other"].map(name => [name, of(name)]));
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    this.scale = window.devicePixelRatio || 1;
    [this.width, this.height] = [Math.max(LEFT + 60, box.width), Math.max(60, box.height)];
    this.canvas.width = Math.round(this.width * this.scale);
    this.canvas.height = Math.round(this.height * this.scale);
    this.left = Math.round(LEFT * this.scale);
    this.plot = this.canvas.width - this.left;
    this.image = new ImageData(this.plot, this.canvas.height);
    this.frame = new Uint32Array(this.image.data.buffer);
    for (const name of ["line", "rests", "ground", "plain"]) this[name] = new Uint32Array(this.plot);
    this.heights = new Uint16Array(this.plot);
    this.context.font = "11px " + this.color("code");
    this.letter = this.context.measureText("MMMMMMMMMM").width / 10;
  }

  x(time) { return LEFT + (time - this.view.begin) / (this.view.end - this.view.begin) * (this.width - LEFT); }
  time(x) { return this.view.begin + (x - LEFT) / (this.width - LEFT) * (this.view.end - this.view.begin); }
  /// Where a lane's row lies on the canvas.
  rowTop(lane, row) {
    const top = AXIS + lane.top - this.view.scroll + PAD;
    return lane.kind !== "queue" ? top + row * lane.rowHeight : top + (lane.curveHeight ? lane.curveHeight + 3 : 0) + row * lane.rowHeight;
  }

  /// Draws everything. `state`: what is chosen, found and pointed at, and the lanes with the bands above them.
  paint(view, state) {
    [this.view, this.state] = [view, state];
    [this.wordPlaces, this.perPixel] = [[], this.plot / (view.end - view.begin)];
    const ticks = this.ticks();
    this.ground.fill(this.pixels.lane);
    for (const tick of ticks.places) this.ground[Math.min(this.plot - 1, Math.max(0, Math.round((tick - view.begin) * this.perPixel)))] = this.pixels.grid;
    for (let y = 0; y < this.canvas.height; y++) this.frame.set(this.ground, y * this.plot);
    const seen = state.lanes.filter(lane => AXIS + lane.top - view.scroll < this.height && AXIS + lane.top + lane.height - view.scroll > AXIS);
    for (const lane of seen) this.paintLane(lane);
    const context = this.context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.image, this.left, 0);
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.textBaseline = "middle";
    context.direction = "ltr";
    this.writeWords();
    context.save();
    context.beginPath();
    context.rect(LEFT, AXIS, this.width - LEFT, this.height - AXIS);
    context.clip();
    this.drawArrows(seen);
    this.drawChosen();
    context.restore();
    this.drawNames(seen);
    this.drawAxis(ticks);
  }

  // MARK: rows

  /// Copies a line to the rows from `top` on, as far as they are on the canvas.
  copy(line, top, height) {
    const first = Math.max(Math.round(AXIS * this.scale), top), end = Math.min(this.canvas.height, top + height);
    for (let y = first; y < end; y++) this.frame.set(line, y * this.plot);
  }

  paintLane(lane) {
    const top = Math.round((AXIS + lane.top - this.view.scroll) * this.scale), bottom = Math.round((AXIS + lane.top + lane.height - this.view.scroll) * this.scale);
    if (lane.kind === "band") {
      this.plain.fill(this.pixels["lane-other"]);
      this.copy(this.plain, top, bottom - top);
    }
    if (lane.kind === "queue" && lane.curveHeight) this.paintCurve(lane);
    const rows = lane.rows || [], found = this.state.found;
    for (let row = 0; row < rows.length; row++) {
      const y = Math.round(this.rowTop(lane, row) * this.scale), height = Math.max(2, Math.round((lane.rowHeight - (lane.rowHeight > 8 ? 2 : 1)) * this.scale));
      if (y > this.canvas.height || y + height < 0) continue;
      this.line.fill(0);
      this.fillRow(rows[row], this.line, found ? this.dimmed : this.shades, lane.rowHeight >= 12 ? y : -1, height);
      const hits = found && found.rows.get(rows[row]);
      if (hits) this.fillRow(hits, this.line, this.shades, lane.rowHeight >= 12 ? y : -1, height);
      const rests = row === 0 && lane.parked;
      if (rests) {
        this.rests.fill(0);
        this.fillRow(lane.parked, this.rests, this.shades, -1, height);
      }
      const { line, plain, ground } = this;
      for (let x = 0; x < this.plot; x++) plain[x] = line[x] || ground[x];
      this.copy(plain, y, height);
      if (rests) {
        for (let x = 0; x < this.plot; x++) plain[x] = line[x] || this.rests[x] || ground[x];
        const thin = Math.max(1, Math.round(2 * this.scale));
        this.copy(plain, y + Math.round((height - thin) / 2), thin);
      }
    }
    if (lane.kind === "thread") {
      this.paintTicks(lane.markTimes, top + 1, Math.round(4 * this.scale), this.pixels.mark);
      this.paintTicks(lane.timerTimes, top + 1, Math.round(4 * this.scale), this.pixels.strong);
      this.paintTicks(lane.activityTimes, top + 1, Math.round(3 * this.scale), this.pixels.curve);
      this.paintTicks(lane.submissions.times, bottom - Math.round(4 * this.scale), Math.round(3 * this.scale), this.pixels.interval);
      for (const gap of lane.gaps) this.paintGap(gap, top, bottom);
    }
    this.plain.fill(this.pixels.line);
    this.copy(this.plain, bottom - 1, 1);
  }

  /// One line of a row. What is narrower than a pixel is merged: the pixel has the colour of the longest, the stronger the more of it is covered.
  fillRow(row, line, shades, wordsAt, height) {
    const { ids, levels, begin, end, tint } = row, { perPixel, plot } = this, from = this.view.begin, until = this.view.end, total = ids.length;
    const bright = (best, cover) => shades[best * (LEVELS + 1) + Math.max(6, Math.min(LEVELS, Math.round(cover * LEVELS)))];
    let place = row.after(from), pixel = -1, cover = 0, best = 0, bestLength = -1;
    while (place < total && begin[place] < until) {
      const start = begin[place];
      let size = 1, level = null;
      for (const above of levels) {
        if (place % above.size !== 0 || place + above.size > total || (end[place + above.size - 1] - start) * perPixel >= 1) break;
        level = above;
        size = above.size;
      }
      const busy = level ? level.busy[place / size] : end[place] - start;
      if (!level && busy * perPixel >= 1.5) {
        if (pixel >= 0) line[pixel] = bright(best, cover);
        pixel = -1;
        const exact = (end[place] - from) * perPixel, first = Math.max(0, Math.round((start - from) * perPixel));
        const last = Math.min(plot, Math.max(first + 1, Math.round(exact)));
        line.fill(shades[tint[place] * (LEVELS + 1) + LEVELS], first, last);
        if (last - first > 3 && exact <= plot) line[last - 1] = 0;
        if (wordsAt >= 0 && last - first > 30 * this.scale) this.wordPlaces.push(ids[place], first, last, wordsAt, height, shades === this.dimmed ? 1 : 0);
      } else {
        const at = Math.max(0, Math.floor((start - from) * perPixel)), longest = level ? level.longest[place / size] : busy;
        if (at !== pixel) {
          if (pixel >= 0) line[pixel] = bright(best, cover);
          pixel = at;
          cover = 0;
          bestLength = -1;
        }
        cover += busy * perPixel;
        if (longest > bestLength) {
          best = level ? level.tint[place / size] : tint[place];
          bestLength = longest;
        }
      }
      place += size;
    }
    if (pixel >= 0) line[pixel] = bright(best, cover);
  }

  paintCurve(lane) {
    const { curve } = lane, { heights, frame, plot } = this, full = Math.round(lane.curveHeight * this.scale);
    const base = Math.round((AXIS + lane.top - this.view.scroll + PAD) * this.scale) + full;
    let place = firstAfter(curve.times, this.view.begin);
    for (let x = 0; x < plot; x++) {
      const next = this.skip(curve.times, place, this.view.begin + (x + 1) / this.perPixel);
      const most = Math.max(place ? curve.values[place - 1] : 0, next > place ? curve.most(place, next) : 0);
      heights[x] = most ? Math.max(1, Math.round(most / curve.greatest * full)) : 0;
      place = next;
    }
    for (let up = 0; up < full; up++) {
      const y = base - 1 - up;
      if (y < AXIS * this.scale || y >= this.canvas.height) continue;
      for (let x = 0, at = y * plot; x < plot; x++, at++) if (heights[x] > up) frame[at] = this.pixels.curve;
    }
  }

  /// The first place after `place` whose time is greater than `time`: by steps that double, then by halves.
  skip(times, place, time) {
    let step = 1, low = place, high = place;
    while (high < times.length && times[high] <= time) { low = high + 1; high += step; step *= 2; }
    high = Math.min(high, times.length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[middle] > time) high = middle; else low = middle + 1;
    }
    return low;
  }

  paintTicks(times, top, height, color) {
    let place = firstAfter(times, this.view.begin);
    const first = Math.max(Math.round(AXIS * this.scale), top), end = Math.min(this.canvas.height, top + height);
    while (place < times.length && times[place] < this.view.end) {
      const x = Math.floor((times[place] - this.view.begin) * this.perPixel);
      for (let y = first; y < end; y++) this.frame[y * this.plot + x] = color;
      place = this.skip(times, place, this.view.begin + (x + 1) / this.perPixel);
    }
  }

  paintGap(gap, top, bottom) {
    if (gap.end < this.view.begin || gap.begin > this.view.end) return;
    const first = Math.max(0, Math.round((gap.begin - this.view.begin) * this.perPixel));
    const last = Math.min(this.plot, Math.max(first + 2, Math.round((gap.end - this.view.begin) * this.perPixel)));
    for (let y = Math.max(Math.round(AXIS * this.scale), top); y < Math.min(this.canvas.height, bottom - 1); y++) {
      for (let x = first; x < last; x++) this.frame[y * this.plot + x] = (x + y) >> 2 & 1 ? this.pixels.gap : this.pixels["lane-other"];
    }
    if (last - first > 150 * this.scale) {
      const text = plural(gap.count, "event") + " lost";
      this.wordPlaces.push(text, first, last, top, bottom - top, 0);
    }
  }

  // MARK: words and arrows

  writeWords() {
    const { context, scale, recording, wordPlaces } = this, margin = 4;
    context.font = "11px " + this.color("code");
    const quiet = this.color("quiet"), plain = this.color("text");
    for (let place = 0, written = 0; place < wordPlaces.length && written < MOST_WORDS; place += 6, written++) {
      const [what, first, last, top, height, isDim] = wordPlaces.slice(place, place + 6), isSlice = typeof what === "number";
      const text = clipped(isSlice ? shown(recording.title(what)) : what, Math.floor(((last - first) / scale - 2 * margin) / this.letter));
      if (!text) continue;
      context.fillStyle = isDim ? quiet : isSlice ? this.words[recording.tint[what]] : plain;
      const y = (top + height / 2) / scale + 0.5;
      if (y > AXIS) context.fillText(text, LEFT + first / scale + margin, y);
    }
  }

  /// From where a slice's item was submitted to where it ran, and to the lane of its queue.
  ends(id) {
    const { recording } = this, inLane = this.laneOfThread.get(recording.thread[id]);
    const run = { x: this.x(recording.sliceBegin[id]), y: this.rowTop(inLane, recording.depth[id]) + inLane.rowHeight / 2 };
    const by = this.laneOfThread.get(recording.submitter[id]), queue = recording.laneOfQueue.get(recording.whose[id]);
    return {
      run, submission: { x: this.x(recording.submitted[id]), y: AXIS + by.top + by.height - this.view.scroll - 3 },
      queue: { x: run.x, y: this.rowTop(queue, recording.queueRow[id]) + queue.rowHeight / 2 },
    };
  }

  arrow(from, to) {
    const { context } = this, bend = Math.max(12, Math.min(90, Math.abs(to.x - from.x) / 2)), back = Math.max(4, Math.min(7, bend / 3));
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
    context.moveTo(to.x - back, to.y - back * 0.6);
    context.lineTo(to.x, to.y);
    context.lineTo(to.x - back, to.y + back * 0.6);
  }

  /// Arrows of all items that are seen to begin, as long as they are few.
  drawArrows(seen) {
    const { recording, context } = this, shownItems = [];
    let all = 0;
    for (const lane of seen) {
      if (lane.kind !== "thread") continue;
      for (const row of lane.rows) {
        const first = row.from(this.view.begin), end = row.from(this.view.end);
        all += end - first;
        if (all > MOST_ARROWS) return;
        for (let place = first; place < end; place++) if (recording.head[row.ids[place]] & 16) shownItems.push(row.ids[place]);
      }
    }
    context.strokeStyle = this.color("quiet");
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    context.beginPath();
    for (const id of shownItems) {
      const { submission, run } = this.ends(id);
      this.arrow(submission, run);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  outline(lane, row, id, color, width) {
    const { recording, context } = this, x = Math.max(LEFT - 4, this.x(recording.sliceBegin[id])), end = Math.min(this.width + 4, this.x(recording.sliceEnd[id]));
    context.strokeStyle = color;
    context.lineWidth = width;
    context.strokeRect(x - 1, this.rowTop(lane, row) - 1, Math.max(3, end - x + 1), Math.max(3, lane.rowHeight));
  }

  drawChosen() {
    const { recording, context, state } = this;
    if (state.at !== null) {
      context.fillStyle = this.color("hit");
      context.fillRect(this.x(state.at) - 0.5, AXIS, 1.5, this.height);
    }
    const id = state.chosen;
    if (state.pointed >= 0 && state.pointed !== id) this.outlineBoth(state.pointed, this.color("quiet"), 1);
    if (id < 0) return;
    this.outlineBoth(id, this.color("select"), 2);
    context.strokeStyle = context.fillStyle = this.color("strong");
    context.lineWidth = 2;
    context.beginPath();
    if (recording.head[id] & 16) {
      const { submission, run, queue } = this.ends(id);
      this.arrow(submission, run);
      context.moveTo(run.x, run.y);
      context.lineTo(queue.x, queue.y);
    } else if (recording.kind(id) === WAIT && recording.more.has(id)) {
      const { woken, waker } = recording.more.get(id), lane = this.laneOfThread.get(recording.thread[id]), other = this.laneOfThread.get(waker);
      const end = { x: this.x(recording.sliceEnd[id]), y: this.rowTop(lane, recording.depth[id]) + lane.rowHeight / 2 };
      this.arrow({ x: this.x(woken), y: this.rowTop(other, 0) + other.rowHeight / 2 }, end);
    } else if (recording.kind(id) === WAIT && recording.whose[id] > 1) {
      const lane = this.laneOfThread.get(recording.thread[id]), holder = this.laneOfThread.get(recording.whose[id] - 2);
      const x = this.x(recording.sliceBegin[id]);
      this.arrow({ x, y: this.rowTop(lane, recording.depth[id]) + lane.rowHeight / 2 }, { x: x + 14, y: this.rowTop(holder, 0) + holder.rowHeight / 2 });
    }
    context.stroke();
  }

  /// A slice in its thread's lane, an item in its queue's, a task's bar in its own.
  outlineBoth(id, color, width) {
    const { recording } = this, kind = recording.kind(id);
    if (recording.isOfThread(id)) this.outline(this.laneOfThread.get(recording.thread[id]), kind === PARKED ? 0 : recording.depth[id], id, color, width);
    if (recording.isOfTask(id)) this.outline(recording.laneOfTask.get(recording.whose[id]), recording.queueRow[id], id, color, width);
    if (recording.isOfQueue(id)) this.outline(recording.laneOfQueue.get(recording.whose[id]), recording.queueRow[id], id, color, width);
  }

  // MARK: names and the axis

  drawNames(seen) {
    const { context } = this, quiet = this.color("quiet"), plain = this.color("text"), fits = Math.floor((LEFT - 34) / this.letter);
    context.fillStyle = this.color("panel");
    context.fillRect(0, 0, LEFT - 1, this.height);
    context.fillStyle = this.color("line");
    context.fillRect(LEFT - 1, 0, 1, this.height);
    for (const lane of seen) {
      const top = AXIS + lane.top - this.view.scroll;
      context.fillStyle = this.color("line");
      context.fillRect(0, top + lane.height - 1, LEFT, 1);
      if (lane.kind === "band") {
        context.fillStyle = this.color("lane-other");
        context.fillRect(0, top, LEFT, lane.height - 1);
        context.fillStyle = plain;
        context.font = "600 12px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
        context.fillText(`${lane.folded ? "\u25b8" : "\u25be"} ${lane.name}`, 10, top + lane.height / 2);
        continue;
      }
      if (this.state.found && this.state.found.lanes.has(lane)) {
        context.fillStyle = this.color("hit");
        context.fillRect(0, top, 4, lane.height - 1);
      }
      const isQueue = lane.kind !== "thread", middle = top + PAD + ROW / 2 - 1;
      if (isQueue) {
        context.fillStyle = this.css[lane.index % HUES.length];
        context.fillRect(10, middle - 5, 10, 10);
      }
      context.font = "11px " + this.color("code");
      context.fillStyle = plain;
      context.fillText(clipped(lane.name, fits), isQueue ? 27 : 10, middle);
      if (lane.note && lane.height > 36) {
        context.fillStyle = quiet;
        context.fillText(clipped(lane.note, fits), isQueue ? 27 : 10, middle + 15);
      }
    }
  }

  /// Moments that are round in the unit of what is seen.
  ticks() {
    const width = this.view.end - this.view.begin, wanted = width / Math.max(2, (this.width - LEFT) / 130), power = 10 ** Math.floor(Math.log10(wanted));
    const step = Math.max(1, [1, 2, 5, 10].find(times => times * power >= wanted) * power), places = [];
    for (let tick = Math.ceil(this.view.begin / step) * step + 0; tick < this.view.end; tick += step) places.push(tick);
    return { step, places };
  }

  drawAxis({ step, places }) {
    const { context } = this;
    context.fillStyle = this.color("panel");
    context.fillRect(0, 0, this.width, AXIS);
    context.fillStyle = this.color("line");
    context.fillRect(0, AXIS - 1, this.width, 1);
    context.font = "11px " + this.color("code");
    context.fillStyle = this.color("quiet");
    context.fillText(span(this.view.end - this.view.begin) + " shown", 10, AXIS / 2);
    const [unit, scale] = UNITS.find(([, scale]) => step >= scale) || UNITS[3];
    // Far in, a moment is told from the left edge's on, which is told whole.
    const far = places.length && places[0] / step > 1e6, base = far ? places[0] : 0;
    for (const tick of places) {
      const value = (tick - base) / scale, text = far && tick === base ? moment(tick) : `${far ? "+" : ""}${count(Math.round(value * 1000) / 1000)} ${unit}`;
      const x = this.x(tick);
      context.fillRect(x - 0.5, AXIS - 6, 1, 5);
      if (x > LEFT - 6 && x + text.length * this.letter < this.width) context.fillText(text, x + 4, AXIS / 2);
    }
    if (this.state.pointer !== null) {
      const text = moment(this.time(this.state.pointer)), wide = text.length * this.letter + 10, x = Math.max(LEFT, Math.min(this.width - wide, this.state.pointer - wide / 2));
      context.fillStyle = this.color("text");
      context.globalAlpha = 0.25;
      context.fillRect(this.state.pointer, AXIS, 1, this.height);
      context.globalAlpha = 1;
      context.fillRect(x, 3, wide, AXIS - 7);
      context.fillStyle = this.color("panel");
      context.fillText(text, x + 5, AXIS / 2 - 0.5);
    }
  }
}
