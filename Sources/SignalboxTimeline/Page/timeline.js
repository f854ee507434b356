// timeline.js: what is seen of the recording, and what wheel, keys, pointer, search and tables do with that. Drawing is painter.js.

const LEAST_SPAN = 50;
const KEYS = [
  [["W", "+"], "zoom in"], [["S", "-"], "zoom out"], [["A", "\u2190"], "move back"], [["D", "\u2192"], "move on"], [["\u2191", "\u2193"], "other lanes"],
  [["0"], "the whole recording"], [["F"], "zoom to what is chosen"], [[",", "."], "the one before, the next one in the row"], [["/"], "search"],
  [["N", "Shift N"], "the next, the last one found"], [["1", "2", "3"], "threads, queues, tasks"], [["T"], "tables"], [["Esc"], "nothing chosen, nothing found"], [["?"], "this list"]];

class Timeline {
  constructor() {
    this.recording = new Recording(JSON.parse(embedded("header")));
    const { recording } = this, element = id => document.getElementById(id);
    [this.canvas, this.overview, this.scroller, this.tip, this.search, this.hits] = ["lanes", "overview", "scroller", "tip", "search", "hits"].map(element);
    const length = Math.max(LEAST_SPAN, recording.end - recording.begin);
    this.limits = { begin: recording.begin - length * 0.01, end: recording.end + length * 0.01 };
    this.view = { ...this.limits, scroll: 0 };
    this.state = { chosen: -1, pointed: -1, pointer: null, at: null, found: null, lanes: [] };
    const sizes = { thread: plural(recording.threads.length, "thread"), queue: plural(recording.queues.length, "queue"), task: plural(recording.taskLanes.length, "kind") + " of tasks" };
    this.bands = Object.keys(sizes).filter(kind => kind !== "task" || recording.taskLanes.length).map(kind => ({ kind: "band", of: kind, folded: false, name: sizes[kind] }));
    for (const lane of recording.lanes) {
      const { items, turns } = lane.stats || {};
      if (lane.kind === "task") lane.note = plural(lane.stats.tasks, "task");
      else lane.note = lane.kind === "queue" ? [items ? plural(items, "item") : plural(turns, "turn"), lane.curve.greatest && `deepest ${count(lane.curve.greatest)}`].filter(Boolean).join(", ") : null;
    }
    this.painter = new Painter(this.canvas, recording);
    this.layOut();
    this.details = new Details(element("details"), recording, this);
    this.tables = new Tables(element("tables"), recording.summary, this);
    this.describe();
    this.details.start();
    this.listen(element);
    this.resized();
  }

  describe() {
    const { recording } = this;
    document.title = `${shown(recording.program)} ${recording.process} \u2013 Signalbox recording`;
    document.getElementById("title").append(name(recording.program), ` ${recording.process}`);
    document.getElementById("facts").textContent = `${plural(recording.events, "event")} in ${span(recording.end - recording.begin)}`;
    const list = KEYS.flatMap(([keys, what]) => [make("dt", null, ...keys.flatMap(key => [make("kbd", null, key), " "])), make("dd", null, what)]);
    document.getElementById("help").append(make("h2", null, "Keys"), make("dl", null, ...list), make("p", null,
      "The wheel zooms, with Shift it moves in time, over the names it moves through the lanes. Dragging moves both ways. A double click zooms to an item."),
      make("form", { method: "dialog" }, make("button", null, "Close")));
  }

  // MARK: lanes

  /// Where each lane lies, from the top of the first on.
  layOut() {
    const lanes = [];
    let top = 0;
    const add = (lane, height) => { Object.assign(lane, { top, height }); lanes.push(lane); top += height; };
    for (const band of this.bands) {
      add(band, BAND);
      for (const lane of this.recording.lanes) {
        if (lane.kind !== band.of || band.folded) continue;
        const rows = Math.max(1, lane.rows.length);
        lane.rowHeight = lane.kind === "thread" || rows <= 4 ? ROW : rows <= 12 ? 10 : 6;
        lane.curveHeight = lane.kind === "queue" && lane.curve.greatest ? CURVE : 0;
        add(lane, 2 * PAD + rows * lane.rowHeight + (lane.curveHeight ? lane.curveHeight + 3 : 0));
      }
    }
    this.state.lanes = lanes;
    this.content = top;
    document.getElementById("length").style.height = `${top + AXIS}px`;
  }

  resized() {
    if (!this.painter) return;
    this.painter.resize();
    this.loadPicture = null;
    this.scrollTo(this.view.scroll);
  }

  /// Draws at the next frame.
  draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.painter.paint(this.view, this.state);
      this.paintOverview();
    });
  }

  paintOverview() {
    const { overview, recording } = this, scale = window.devicePixelRatio || 1, box = overview.getBoundingClientRect(), context = overview.getContext("2d");
    const width = Math.max(1, Math.round(box.width * scale)), height = Math.max(1, Math.round(box.height * scale));
    if (!this.loadPicture || this.loadPicture.width !== width) {
      const picture = this.loadPicture = new OffscreenCanvas(width, height), pen = picture.getContext("2d"), { run, wait } = recording.load(width);
      let most = 0.01;
      for (let x = 0; x < width; x++) most = Math.max(most, run[x] + wait[x]);
      pen.fillStyle = this.named("panel");
      pen.fillRect(0, 0, width, height);
      for (const [color, from, size] of [["strong", x => run[x], x => run[x]], ["wait", x => run[x] + wait[x], x => wait[x]]]) {
        pen.fillStyle = this.named(color);
        pen.globalAlpha = 0.75;
        for (let x = 0; x < width; x++) pen.fillRect(x, height - from(x) / most * (height - 3), 1, size(x) / most * (height - 3));
      }
    }
    if (overview.width !== width || overview.height !== height) [overview.width, overview.height] = [width, height];
    context.drawImage(this.loadPicture, 0, 0);
    const x = time => (time - this.limits.begin) / (this.limits.end - this.limits.begin) * width, begin = x(this.view.begin), end = Math.max(begin + 2, x(this.view.end));
    context.fillStyle = this.named("page");
    context.globalAlpha = 0.72;
    context.fillRect(0, 0, begin, height);
    context.fillRect(end, 0, width - end, height);
    context.globalAlpha = 1;
    context.strokeStyle = this.named("strong");
    context.lineWidth = scale;
    context.strokeRect(begin, scale / 2, end - begin, height - scale);
  }

  // MARK: moving

  /// Shows a stretch of time, as far as there is a recording.
  show(begin, end) {
    const length = Math.min(this.limits.end - this.limits.begin, Math.max(LEAST_SPAN, end - begin)), middle = (begin + end) / 2;
    this.view.begin = Math.max(this.limits.begin, Math.min(this.limits.end - length, middle - length / 2));
    this.view.end = this.view.begin + length;
    this.draw();
  }

  /// Zooms by a factor; the moment at `x` stays where it is.
  zoom(factor, x = LEFT + (this.painter.width - LEFT) / 2) {
    const { begin, end } = this.view, share = Math.max(0, Math.min(1, (x - LEFT) / (this.painter.width - LEFT)));
    const length = Math.min(this.limits.end - this.limits.begin, Math.max(LEAST_SPAN, (end - begin) / factor)), at = begin + (end - begin) * share;
    this.show(at - length * share, at + length * (1 - share));
  }

  pan(share) {
    const by = (this.view.end - this.view.begin) * share;
    this.show(this.view.begin + by, this.view.end + by);
  }

  scrollTo(scroll) {
    this.view.scroll = Math.max(0, Math.min(this.content + AXIS - this.painter.height, scroll));
    if (Math.abs(this.scroller.scrollTop - this.view.scroll) > 1) this.scroller.scrollTop = this.view.scroll;
    this.draw();
  }

  /// Scrolls as little as it takes to see a lane.
  reveal(lane) {
    const band = this.bands.find(band => band.of === lane.kind);
    if (band && band.folded) this.fold(band);
    if (lane.top < this.view.scroll) this.scrollTo(lane.top - BAND);
    else if (lane.top + lane.height > this.view.scroll + this.painter.height - AXIS) this.scrollTo(lane.top + lane.height - this.painter.height + AXIS + 12);
  }

  fold(band) {
    band.folded = !band.folded;
    this.layOut();
    this.scrollTo(this.view.scroll);
  }

  toMoment(time) {
    this.state.at = time;
    if (time < this.view.begin || time > this.view.end) this.pan((time - (this.view.begin + this.view.end) / 2) / (this.view.end - this.view.begin));
    this.draw();
  }

  toThread(thread, time) {
    this.reveal(this.threadLane(thread));
    if (time !== undefined) this.toMoment(time);
    else this.details.lane(this.threadLane(thread));
  }

  toQueue(queue) {
    const lane = this.recording.laneOfQueue.get(queue);
    this.reveal(lane);
    this.details.lane(lane);
    this.draw();
  }

  toSlice(id) {
    const { recording } = this, begin = recording.head[id] & 16 && recording.length(id) > 0 ? Math.max(recording.submitted[id], recording.sliceBegin[id] - 20 * recording.length(id)) : recording.sliceBegin[id];
    const room = Math.max(LEAST_SPAN, recording.sliceEnd[id] - begin) * 0.3;
    this.show(begin - room, recording.sliceEnd[id] + room);
    this.choose(id);
  }

  /// What a row of a table says of a moment: the slice that begins there, if there is one, or that was submitted or ended then.
  toEvent(row) {
    const { recording } = this, lengths = Object.entries(flat(row)).filter(([key, value]) => Number.isFinite(value) && key !== "at" && SPANS.test(key.split(".").pop())).map(([, value]) => value);
    const id = this.sliceAt(row), begin = id < 0 ? row.at : Math.min(row.at, recording.sliceBegin[id]);
    const end = id < 0 ? row.at + Math.max(0, ...lengths) : recording.sliceEnd[id];
    const room = Math.max((end - begin) * 0.4, Math.min(this.view.end - this.view.begin, (recording.end - recording.begin) / 400), 10 * LEAST_SPAN);
    this.show(begin - room, end + room);
    this.state.at = row.at;
    if (id >= 0) this.choose(id);
    this.draw();
  }

  /// Of the slices that have to do with a row's moment the one of whose names the row has most.
  sliceAt(row) {
    const { recording } = this, texts = Object.values(flat(row)).filter(value => typeof value === "string");
    const score = id => {
      const kind = recording.kind(id), own = [recording.title(id), recording.threadName(recording.thread[id])];
      if (recording.isOfQueue(id)) own.push(recording.queues[recording.whose[id]].name);
      if (kind === WAIT) own.push(recording.objects[recording.what[id]]);
      return own.filter(name => texts.some(text => text.includes(name))).length - (kind === PARKED ? 5 : 0);
    };
    const isAt = time => Math.abs(time - row.at) <= 1.5;
    let best = -1, most = -9;
    for (let id = 0; id < recording.head.length; id++) {
      if (!isAt(recording.sliceBegin[id]) && !isAt(recording.submitted[id]) && !isAt(recording.sliceEnd[id])) continue;
      const value = score(id) + (isAt(recording.sliceBegin[id]) ? 0.5 : 0);
      if (value > most) [best, most] = [id, value];
    }
    return best;
  }

  toName(text) {
    this.search.value = text;
    this.find();
    const lane = this.state.found && [...this.state.found.lanes].find(lane => lane.name === shown(text));
    if (lane) { this.reveal(lane); this.details.lane(lane); } else this.next(1);
  }

  // MARK: choosing

  /// Where a slice is looked for first.
  laneOf(id) {
    const { recording } = this;
    if (recording.isOfTask(id)) return recording.laneOfTask.get(recording.whose[id]);
    return recording.isOfThread(id) ? this.threadLane(recording.thread[id]) : recording.laneOfQueue.get(recording.whose[id]);
  }
  threadLane(thread) { return this.painter.laneOfThread.get(thread); }
  named(name) { return this.painter.color(name); }
  color(id) {
    const tint = this.recording.tint[id];
    return tint < WAITS ? this.painter.css[tint % HUES.length] : `var(--${["wait", "interval", "parked"][tint - WAITS]})`;
  }
  queueColor(queue) { return this.painter.css[queue % HUES.length]; }

  choose(id) {
    this.state.chosen = id;
    if (id < 0) { this.details.start(); return this.draw(); }
    this.reveal(this.laneOf(id));
    this.details.slice(id);
    this.draw();
  }

  /// The one before or behind what is chosen, in its row.
  beside(step) {
    const { recording, state } = this, id = state.chosen;
    if (id < 0) return;
    const lane = this.laneOf(id), row = recording.kind(id) === PARKED ? lane.parked : lane.rows[recording.isOfThread(id) ? recording.depth[id] : recording.queueRow[id]];
    const other = row.ids[row.ids.indexOf(id) + step];
    if (other === undefined) return;
    this.toMoment(recording.sliceBegin[other]);
    this.choose(other);
  }

  /// What lies at a place of the canvas.
  at(x, y) {
    const { view, state, painter } = this, inContent = y - AXIS + view.scroll;
    const lane = y < AXIS ? null : state.lanes.find(lane => inContent >= lane.top && inContent < lane.top + lane.height);
    if (!lane || lane.kind === "band" || x < LEFT) return { lane, isName: x < LEFT, id: -1 };
    const time = painter.time(x), reach = 3 / (painter.width - LEFT) * (view.end - view.begin), row = Math.floor((y - painter.rowTop(lane, 0)) / lane.rowHeight);
    const gap = (lane.gaps || []).find(gap => time >= gap.begin - reach && time <= gap.end + reach);
    let id = row >= 0 && lane.rows[row] ? this.inRow(lane.rows[row], time, reach) : -1;
    if (id < 0 && row === 0 && lane.parked) id = this.inRow(lane.parked, time, 0);
    return { lane, time, id, gap, reach, isCurve: lane.kind === "queue" && row < 0 };
  }

  /// The slice of a row at a time, or the longest near it.
  inRow(row, time, reach) {
    const first = row.after(time - reach), { recording } = this;
    let best = -1;
    for (let place = first; place < row.ids.length && place < first + 4000; place++) {
      const id = row.ids[place];
      if (recording.sliceBegin[id] > time + reach) break;
      if (recording.sliceBegin[id] <= time && recording.sliceEnd[id] >= time && recording.length(id) > reach) return id;
      if (best < 0 || recording.length(id) > recording.length(best)) best = id;
    }
    return best;
  }

  click(x, y) {
    const hit = this.at(x, y), { recording } = this;
    this.state.at = null;
    if (!hit.lane) return;
    if (hit.lane.kind === "band") return this.fold(hit.lane);
    if (hit.isName) return this.details.lane(hit.lane);
    if (hit.gap) return this.details.gap(hit.gap);
    const chosen = hit.id >= 0 && recording.kind(hit.id) !== PARKED ? null : this.momentsAt(hit);
    if (chosen) return;
    if (hit.id >= 0) return this.choose(hit.id);
    this.choose(-1);
    if (hit.isCurve) this.details.lane(hit.lane, { time: hit.time, depth: hit.lane.curve.at(hit.time) });
  }

  /// Marks, timers, events and submissions near a moment of a thread; whether there are any.
  momentsAt({ lane, time, reach }) {
    if (lane.kind !== "thread") return false;
    const { recording } = this, near = (times, list, tell) => {
      const first = firstAfter(times, time - reach), end = Math.min(firstAfter(times, time + reach), first + 20);
      return Array.from({ length: Math.max(0, end - first) }, (_, place) => tell(list[first + place]));
    };
    const found = [
      ...near(lane.markTimes, lane.marks, mark => ["mark", recording.notes[mark.note], mark.time, mark.number]),
      ...near(lane.activityTimes, lane.activities, activity => ["event", recording.objects[activity.text], activity.time, activity.count < 0 ? undefined : activity.count]),
      ...near(lane.timerTimes, lane.timers, timer => ["timer", `${recording.objects[timer.object]}${timer.late < 0 ? "" : `, ${span(timer.late)} late`}`, timer.time])];
    const submitted = near(lane.submissions.times, lane.submissions.ids, id => id);
    if (!found.length && submitted.length) {
      const id = submitted[0];
      if (id < recording.head.length) this.choose(id); else this.details.waiting(recording.waiting[id - recording.head.length]);
      return true;
    }
    if (found.length) this.details.moments(lane.index, found);
    return found.length > 0;
  }

  point(x, y) {
    const hit = x === null ? { id: -1 } : this.at(x, y), { recording, tip } = this;
    this.state.pointer = x !== null && x > LEFT ? x : null;
    this.state.pointed = hit.id;
    const lines = hit.gap ? [`${plural(hit.gap.count, "event")} lost`, "gap"]
      : hit.id >= 0 ? [shown(recording.title(hit.id)), this.tipLine(hit.id)]
        : hit.isCurve ? [`${plural(hit.lane.curve.at(hit.time), "item")} waiting`, hit.lane.name] : hit.isName && hit.lane && hit.lane.kind !== "band" ? [hit.lane.name] : null;
    tip.hidden = !lines;
    if (lines) {
      tip.replaceChildren(...lines.map(line => make("p", null, name(line))));
      tip.style.left = `${Math.max(4, Math.min(x + 14, this.painter.width - tip.offsetWidth - 8))}px`;
      tip.style.top = `${y + 18 + tip.offsetHeight > this.painter.height ? y - tip.offsetHeight - 10 : y + 18}px`;
    }
    this.draw();
  }

  tipLine(id) {
    const { recording } = this, kind = recording.kind(id), length = span(recording.length(id));
    if (kind === ITEM && recording.head[id] & 16) return `${length}, waited ${span(recording.sliceBegin[id] - recording.submitted[id])}, ${shown(recording.queues[recording.whose[id]].name)}`;
    if (kind === WAIT && recording.more.has(id)) return `${length}, ended by ${shown(recording.threadName(recording.more.get(id).waker))}`;
    if (kind === WAIT && recording.whose[id] > 1) return `${length}, ${shown(recording.threadName(recording.whose[id] - 2))} had it`;
    return length;
  }

  // MARK: searching

  /// What has the text of the field in its name: lanes, and slices by their function, queue, object or note.
  find() {
    const { recording, state } = this, wanted = this.search.value.trim().toLowerCase(), has = text => text.toLowerCase().includes(wanted);
    [this.place, this.lists] = [-1, []];
    if (!wanted) {
      state.found = null;
      this.hits.hidden = true;
      return this.draw();
    }
    const sets = {
      queue: recording.queues.map(queue => has(queue.name)), function: recording.functions.map(one => has(one.name) || has(one.place || "")),
      object: recording.objects.map(has), note: recording.notes.map(has), thread: recording.threads.map(thread => has(thread.name)),
      task: recording.taskLanes.map(has) };
    const counts = { function: new Uint32Array(sets.function.length), object: new Uint32Array(sets.object.length), note: new Uint32Array(sets.note.length) };
    const firsts = { function: [], object: [], note: [] }, found = new Uint8Array(recording.head.length), tally = (of, what, id) => {
      if (!counts[of][what]++) firsts[of][what] = id;
    };
    for (let id = 0; id < found.length; id++) {
      const kind = recording.kind(id), what = recording.what[id], whose = recording.whose[id];
      if (kind === ITEM || kind === OPERATION || kind === TRANSFER) { found[id] = sets.queue[whose] || sets.function[what]; if (sets.function[what]) tally("function", what, id); }
      else if (recording.isOfTask(id)) { found[id] = sets.task[whose] || has(recording.title(id)); }
      else if (kind === TURN) found[id] = sets.queue[whose];
      else if (kind === WAIT) { found[id] = sets.object[what] || (whose > 1 && sets.thread[whose - 2]); if (sets.object[what]) tally("object", what, id); }
      else if (kind === ACTIVITY) { found[id] = sets.object[what]; if (sets.object[what]) tally("object", what, id); }
      else if (kind === INTERVAL) { found[id] = sets.note[what]; if (sets.note[what]) tally("note", what, id); }
    }
    const rows = new Map(), lanes = new Set(recording.lanes.filter(lane => sets[lane.kind][lane.index]));
    for (const lane of recording.lanes) for (const row of lane.rows) {
      const ids = lanes.has(lane) && lane.kind === "thread" ? row.ids : row.ids.filter(id => found[id]);
      if (ids.length) rows.set(row, new Row(ids, recording));
    }
    state.found = { rows, lanes, ids: found.reduce((list, one, id) => { if (one) list.push(id); return list; }, []) };
    this.list(lanes, counts, firsts);
    this.draw();
  }

  /// The list below the field.
  list(lanes, counts, firsts) {
    const { recording } = this, entries = [...lanes].slice(0, 40).map(lane => [lane.kind, lane.name,
      lane.kind === "queue" ? lane.note : "", () => { this.reveal(lane); this.details.lane(lane); this.draw(); }]);
    for (const [kind, texts, word] of [["function", recording.functions.map(one => one.name), "item"], ["object", recording.objects, "time"], ["note", recording.notes, "interval"]]) {
      const some = Array.from(counts[kind].keys()).filter(what => counts[kind][what]).sort((one, other) => counts[kind][other] - counts[kind][one]).slice(0, 20);
      for (const what of some) entries.push([word, shown(texts[what]), plural(counts[kind][what], word), () => this.toSlice(firsts[kind][what])]);
    }
    this.lists = entries;
    this.hits.hidden = false;
    this.hits.replaceChildren(...(entries.length ? entries.map(([kind, text, note, go]) => make("button", {
      type: "button", role: "option", click: () => { go(); this.hits.hidden = true; } }, make("i", null, kind), name(text), make("i", null, note)))
      : [make("p", null, "Nothing is called so.")]));
  }

  /// The next of the slices that were found, from what is chosen on.
  next(step) {
    const { state, recording } = this;
    if (!state.found || !state.found.ids.length) return;
    const ids = state.found.ids, from = this.place < 0 ? ids.findIndex(id => recording.sliceBegin[id] >= this.view.begin) - (step > 0 ? 1 : 0) : this.place;
    this.place = (Math.max(-1, from) + step + ids.length) % ids.length;
    this.toMoment(recording.sliceBegin[ids[this.place]]);
    this.choose(ids[this.place]);
  }

  clear() {
    this.search.value = "";
    this.find();
    this.state.at = null;
    this.choose(-1);
  }

  // MARK: wheel, keys, pointer

  listen(element) {
    const { canvas, overview, search } = this;
    element("in").addEventListener("click", () => this.zoom(1.6));
    element("out").addEventListener("click", () => this.zoom(1 / 1.6));
    element("whole").addEventListener("click", () => this.show(this.limits.begin, this.limits.end));
    element("keys").addEventListener("click", () => element("help").showModal());
    search.addEventListener("input", () => this.find());
    search.addEventListener("focus", () => { if (search.value) this.find(); });
    search.addEventListener("keydown", event => this.searchKey(event));
    addEventListener("keydown", event => this.key(event));
    addEventListener("pointerdown", event => { if (!event.target.closest(".search")) this.hits.hidden = true; });
    new ResizeObserver(() => this.resized()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.painter.readColors(); this.resized(); });
    this.scroller.addEventListener("scroll", () => { if (Math.abs(this.scroller.scrollTop - this.view.scroll) > 1) this.scrollTo(this.scroller.scrollTop); });
    canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => { if (!this.dragged) this.point(event.offsetX, event.offsetY); });
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("dblclick", event => { const { id } = this.at(event.offsetX, event.offsetY); if (id >= 0) this.toSlice(id); });
    const brush = event => {
      if (!(event.buttons & 1)) return;
      const at = this.limits.begin + event.offsetX / overview.getBoundingClientRect().width * (this.limits.end - this.limits.begin), half = (this.view.end - this.view.begin) / 2;
      this.show(at - half, at + half);
    };
    overview.addEventListener("pointerdown", event => { overview.setPointerCapture(event.pointerId); brush(event); });
    overview.addEventListener("pointermove", brush);
  }

  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1, across = event.deltaX * unit, along = event.deltaY * unit;
    if (event.offsetX < LEFT || event.altKey) return this.scrollTo(this.view.scroll + along);
    if (event.shiftKey || Math.abs(across) > Math.abs(along)) return this.pan((across || along) / (this.painter.width - LEFT));
    this.zoom(Math.exp(-Math.max(-300, Math.min(300, along)) * (event.ctrlKey ? 0.01 : 0.0022)), event.offsetX);
  }

  press(event) {
    if (event.button !== 0) return;
    const { canvas } = this, start = { x: event.clientX, y: event.clientY, ...this.view };
    let moved = false;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    const move = event => {
      const x = event.clientX - start.x, y = event.clientY - start.y;
      if (!moved && Math.hypot(x, y) < 4) return;
      moved = true;
      canvas.classList.add("drags");
      this.tip.hidden = true;
      const by = -x / (this.painter.width - LEFT) * (start.end - start.begin);
      this.scrollTo(start.scroll - y);
      this.show(start.begin + by, start.end + by);
    };
    const release = event => {
      for (const [kind, act] of [["pointermove", move], ["pointerup", release], ["pointercancel", release]]) canvas.removeEventListener(kind, act);
      canvas.classList.remove("drags");
      this.dragged = false;
      if (!moved && event.type === "pointerup") this.click(event.offsetX, event.offsetY);
    };
    for (const [kind, act] of [["pointermove", move], ["pointerup", release], ["pointercancel", release]]) canvas.addEventListener(kind, act);
  }

  searchKey(event) {
    event.stopPropagation();
    if (event.key === "Escape") { this.clear(); this.canvas.focus(); }
    if (event.key !== "Enter") return;
    if (this.lists && this.lists.length && !this.hits.hidden && !event.shiftKey) { this.lists[0][3](); this.hits.hidden = true; } else this.next(event.shiftKey ? -1 : 1);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.closest("input")) return;
    const lane = place => { if (this.bands[place]) this.scrollTo(this.bands[place].top); };
    const acts = {
      w: () => this.zoom(1.4), "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), s: () => this.zoom(1 / 1.4), "-": () => this.zoom(1 / 1.4),
      a: () => this.pan(-0.15), arrowleft: () => this.pan(-0.15), d: () => this.pan(0.15), arrowright: () => this.pan(0.15),
      arrowup: () => this.scrollTo(this.view.scroll - 60), arrowdown: () => this.scrollTo(this.view.scroll + 60),
      pageup: () => this.scrollTo(this.view.scroll - this.painter.height * 0.8), pagedown: () => this.scrollTo(this.view.scroll + this.painter.height * 0.8),
      0: () => this.show(this.limits.begin, this.limits.end), home: () => this.show(this.limits.begin, this.limits.end),
      f: () => { if (this.state.chosen >= 0) this.toSlice(this.state.chosen); }, ",": () => this.beside(-1), ".": () => this.beside(1),
      "/": () => { this.search.focus(); this.search.select(); }, n: () => this.next(event.shiftKey ? -1 : 1), 1: () => lane(0), 2: () => lane(1), 3: () => lane(2),
      t: () => this.tables.toggle(), escape: () => this.clear(), "?": () => document.getElementById("help").showModal() };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

// For whoever wants to ask the page more than it shows, in the browser's console; and for its tests.
window.signalbox = new Timeline();
