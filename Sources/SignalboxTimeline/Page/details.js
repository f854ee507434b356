// details.js: the panel that tells all about what was clicked: an item, a wait, a lane, a moment. `go` jumps there; it is timeline.js's.

class Details {
  constructor(element, recording, go) { [this.element, this.recording, this.go] = [element, recording, go]; }

  show(...children) {
    this.element.replaceChildren(...children.flat().filter(Boolean));
    this.element.scrollTop = 0;
  }

  link(text, act) { return make("button.link", { type: "button", click: act }, text instanceof Node ? text : String(text)); }
  threadLink(thread, time) { return this.link(name(this.recording.threadName(thread)), () => this.go.toThread(thread, time)); }
  queueLink(queue) { return this.link(name(this.recording.queues[queue].name), () => this.go.toQueue(queue)); }
  momentLink(time) { return this.link(moment(time), () => this.go.toMoment(time)); }

  kindLine(word, color) { return make("p.kind", null, color ? make("span.swatch", { style: `background:${color}` }) : null, word); }

  /// What a slice says, by its kind.
  slice(id) {
    const { recording } = this, kind = recording.kind(id), color = this.go.color(id), begin = recording.sliceBegin[id];
    const cut = recording.isCut(id) ? make("p.warning", null, "Its end is not in the recording.") : null;
    const times = [["began", this.momentLink(begin)], ["ended", recording.isCut(id) ? null : moment(recording.sliceEnd[id])]];
    const on = ["thread", this.threadLink(recording.thread[id], begin)];
    if (recording.isOfTask(id)) return this.task(id, kind, color, times, on);
    const steps = make("div.row", null,
      make("button", { type: "button", click: () => this.go.toSlice(id) }, "Zoom to it (F)"),
      make("button", { type: "button", click: () => this.go.beside(-1) }, "Before (,)"), make("button", { type: "button", click: () => this.go.beside(1) }, "Next (.)"));
    const [word, heading, list] = this.about(id, kind, on, times);
    this.show(this.kindLine(word, color), make("h2", null, name(heading)), cut, pairs(list), this.around(id), steps);
  }

  about(id, kind, on, times) {
    const { recording } = this, length = span(recording.length(id));
    switch (kind) {
      case ITEM: {
        const hasSubmission = (recording.head[id] & 16) !== 0, { place } = recording.functions[recording.what[id]];
        return [recording.isBarrier(id) ? "Barrier item" : "Item", recording.title(id), [
          ["queue", this.queueLink(recording.whose[id])], ["function", name(recording.title(id))], ["place", place ? name(place) : "not known"],
          ["class", CLASSES[recording.serviceClass[id]] || "none of its own"],
          ["submitted", hasSubmission ? this.momentLink(recording.submitted[id]) : "not in the recording"],
          ["by", hasSubmission ? this.threadLink(recording.submitter[id], recording.submitted[id]) : null],
          ["follows the end of", recording.more.has(id) ? name(recording.objects[recording.more.get(id).cause]) : null],
          ["waited", hasSubmission ? span(recording.sliceBegin[id] - recording.submitted[id]) : null], ["ran", length], ...times, on]];
      }
      case TURN: return [recording.isBarrier(id) ? "Turn of a queue by sync, as a barrier" : "Turn of a queue by sync", recording.title(id), [["queue", this.queueLink(recording.whose[id])], ["lasted", length], ...times, on]];
      case WAIT: {
        const whose = recording.whose[id];
        return ["Wait", recording.title(id), [
          ["for", name(recording.objects[recording.what[id]])],
          ["held by", whose > 1 ? this.threadLink(whose - 2, recording.sliceBegin[id]) : whose ? "a thread that wrote no event" : "no thread, or not known"],
          ...this.waker(id), ["waited", length], ...times, on]];
      }
      case OPERATION: return this.operation(id, length, times, on);
      case TRANSFER: {
        const { bytes, asked, error } = recording.more.get(id);
        return ["Read or write of a channel", recording.title(id), [
          ["asked for", asked < 0 ? "all up to the end" : plural(asked, "byte")], ["moved", plural(bytes, "byte")], ["error", error ? String(error) : null],
          ["took", length], ...times, ["asked by", on[1]]]];
      }
      case ACTIVITY: {
        const word = ["What runs once", "A source's handler of events", "Run of a run loop", "Phase of a run loop"][recording.whose[id]];
        return [word, recording.title(id), [["data", recording.numbers.has(id) ? String(recording.numbers.get(id)) : null], ["lasted", length], ...times, on]];
      }
      case PARKED: return ["Worker without work", "parked", [["for", length], ...times, on]];
      default: return ["The program's interval", recording.title(id), [["number", String(recording.numbers.get(id))], ["lasted", length], ...times, on]];
    }
  }

  /// A task, a part of it, or an await.
  task(id, kind, color, times, on) {
    const { recording } = this, more = recording.more.get(id), { name: title, place } = recording.functions[recording.what[id]], length = span(recording.length(id));
    const where = ["place", place ? name(place) : "not known"];
    const of = kind === TASK ? null : ["of", this.link(name(recording.title(more.task)), () => this.go.choose(more.task))];
    const list = {
      [TASK]: [["began with", name(title)], where, ["parts", count(more.parts)], ["busy", span(more.busy)], ["awaited", span(more.awaited)],
        ["queued", span(Math.max(0, recording.length(id) - more.busy - more.awaited))], ["first part", times[0][1]], ["last part ended", moment(recording.sliceEnd[id])]],
      [PART]: [of, ["goes on in", name(title)], where, ["ran", length], ...times, on],
      [AWAIT]: [of, ["awaits in", name(title)], where, ["lasted", length], ...times],
    }[kind];
    this.show(this.kindLine({ [TASK]: "Task", [PART]: "Part of a task", [AWAIT]: "Await" }[kind], color), make("h2", null, name(recording.title(id))), pairs(list));
  }

  /// Who ended a wait.
  waker(id) {
    const { recording } = this, more = recording.more.get(id);
    return more ? [["ended by", this.threadLink(more.waker, more.woken)], ["at", this.momentLink(more.woken)]] : [];
  }

  operation(id, length, times, on) {
    const { recording } = this, more = recording.more.get(id), { place } = recording.functions[recording.what[id]], added = recording.submitted[id];
    return [recording.isBarrier(id) ? "Barrier operation" : "Operation", recording.title(id), [
      ["queue", this.queueLink(recording.whose[id])], ["place", place ? name(place) : null],
      ["added", more ? this.momentLink(added) : "not in the recording"], ["by", more ? this.threadLink(recording.submitter[id], added) : null],
      ["depended on others for", more ? span(more.held) : null], ["last on", more && more.holder >= 0 ? name(recording.functions[more.holder].name) : null],
      ["waited for its turn", more ? span(recording.sliceBegin[id] - added - more.held) : null], ["ran on the thread", length], ...times, on]];
  }

  /// What the thread was inside of around it.
  around(id) {
    const { recording } = this, lane = this.go.threadLane(recording.thread[id]), list = [];
    if (recording.kind(id) === PARKED || !recording.isOfThread(id)) return null;
    for (let row = 0; row < recording.depth[id]; row++) {
      const place = lane.rows[row].after(recording.sliceBegin[id]), outer = lane.rows[row].ids[place];
      if (outer !== undefined && recording.sliceBegin[outer] <= recording.sliceBegin[id]) {
        list.push(make("p", null, this.link(name(recording.title(outer)), () => this.go.choose(outer)), ` ${span(recording.length(outer))}`));
      }
    }
    return list.length ? [make("h3", null, "Inside of"), ...list] : null;
  }

  /// An item that has not begun.
  waiting(item) {
    const { recording } = this, { place } = recording.functions[item.what];
    this.show(this.kindLine("Item that did not begin in the recording", null), make("h2", null, name(recording.functions[item.what].name)), pairs([
      ["queue", this.queueLink(item.queue)], ["place", place ? name(place) : "not known"], ["class", CLASSES[item.serviceClass] || "none of its own"],
      ["submitted", this.momentLink(item.submitted)], ["by", this.threadLink(item.thread, item.submitted)],
      ["waited at least", span(item.end - item.submitted)]]));
  }

  /// What a thread did within a pixel of one moment.
  moments(thread, list) {
    this.show(this.kindLine("Moments", null), make("h2", null, this.threadLink(thread)), ...list.map(([word, text, time, number]) => pairs([
      [word, name(text)], ["at", this.momentLink(time)], ["number", number === undefined ? null : String(number)]])));
  }

  gap(gap) {
    this.show(this.kindLine("Gap", null), make("h2", null, `${plural(gap.count, "event")} lost`), pairs([
      ["thread", this.threadLink(gap.thread, gap.begin)], ["from", this.momentLink(gap.begin)], ["to", moment(gap.end)]]),
      make("p", null, "The recording had no room for them. What was open before ends here, and items that waited are not known to run."));
  }

  lane(lane, depthAt) {
    const { recording } = this;
    if (lane.kind === "queue") {
      const queue = recording.queues[lane.index], { items, turns, ran, waited, longest } = lane.stats;
      this.show(this.kindLine(queue.isActor ? "Actor" : queue.isSerial ? "Serial queue" : "Queue", this.go.queueColor(lane.index)), make("h2", null, name(queue.name)), pairs([
        ["address", queue.address === "0x0" || lane.rows.some(row => row.ids.some(id => recording.kind(id) === TRANSFER)) ? null : name(queue.address)], ["items", count(items)], ["turns by sync", turns ? count(turns) : null], ["deepest", count(lane.curve.greatest)],
        ["deep here", depthAt ? `${count(depthAt.depth)} at ${moment(depthAt.time)}` : null], ["ran in all", span(ran)],
        ["waited in all", span(waited)], ["longest wait", span(longest)], ["side by side", count(lane.rows.length)]]));
      return;
    }
    if (lane.kind === "task") {
      const { tasks, hidden, parts, busy, awaited } = lane.stats;
      this.show(this.kindLine("Tasks that began with", this.go.queueColor(lane.index)), make("h2", null, name(lane.name)), pairs([
        ["tasks", count(tasks)], ["parts", count(parts)], ["busy in all", span(busy)], ["awaited in all", span(awaited)], ["side by side", count(Math.ceil(lane.rows.length / 2))],
        ["not drawn, as there are more side by side", hidden ? count(hidden) : null]]));
      return;
    }
    const thread = recording.threads[lane.index], of = kind => lane.rows.reduce((sum, row) => sum + row.ids.filter(id => recording.kind(id) === kind).length, 0);
    this.show(this.kindLine(thread.isMain ? "The main thread" : thread.isWorker ? "Worker of the pool" : "Thread", null), make("h2", null, name(thread.name)), pairs([
      ["first event", this.momentLink(thread.begin)], ["last event", this.momentLink(thread.end)], ["items", count(of(ITEM))], ["turns by sync", count(of(TURN))],
      ["waits", count(of(WAIT))], ["submissions", count(lane.submissions.ids.length)], ["gaps", lane.gaps.length ? count(lane.gaps.length) : null]]));
  }

  /// Before anything was clicked: what is here, and what the colours mean.
  start() {
    const { recording } = this, color = word => `var(--${word})`, lost = recording.lostEvents + recording.gaps.reduce((sum, gap) => sum + gap.count, 0);
    const legend = [
      [this.go.queueColor(0), "an item, or a part of a task; each queue has its colour, in the lanes of threads too"], [color("wait"), "a wait or an await"], [color("interval"), "an interval of the program's own, a source's handler, a run loop, what runs once"],
      [color("parked"), "a worker without work"], [color("curve"), "how many items wait"], [color("gap"), "a gap: events were lost"]];
    this.show(
      make("h2", null, "What ran, and what waited"),
      make("p", null, "Click on an item, a wait or a lane's name. Turn the wheel to zoom, drag to move; ", make("kbd", null, "?"), " lists the keys."),
      make("ul.legend", null, ...legend.map(([color, text]) => make("li", null, make("span.swatch", { style: `background:${color}` }), text))),
      pairs([
        ["events", count(recording.events)], ["threads", count(recording.threads.length)], ["queues", count(recording.queues.length)], ["kinds of tasks", recording.taskLanes.length ? count(recording.taskLanes.length) : null],
        ["began", new Date(recording.wall / 1e6).toLocaleString()]]),
      recording.damage ? make("p.warning", null, "The recording " + recording.damage + ".") : recording.complete ? null : make("p.warning", null, "The recording is incomplete: the program was killed or is still running."),
      recording.seconds ? make("p.warning", null, `Of a flight recording: the last ${plural(recording.seconds, "second")}.`) : null,
      lost ? make("p.warning", null, `${plural(lost, "event")} were lost.`) : null,
      recording.lacksRoom ? make("p.warning", null, "The file had no room for more, on the disk or by the limit of file sizes.") : null,
      recording.lostNames ? make("p.warning", null, `${plural(recording.lostNames, "name")} were lost.`) : null);
  }
}
