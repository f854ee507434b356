// report.js: reports of deadlocks and stalls as pictures: threads and objects, which thread waits for which object and
// which holds it. What no thread can leave is a cycle. DeadlockReport+Text.swift and StallReport.swift say what a
// report has, CheckedReport.swift what is there of one that is damaged.

const WIDTH = 212, HEIGHT = 52;

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}

/// What is in the picture: nodes by their keys, and edges between them.
class Graph {
  constructor(report) {
    [this.nodes, this.edges] = [new Map(), []];
    const cycle = report.kind === "deadlock";
    const people = report.participants || [];
    for (const one of people) this.add(`thread ${one.thread}`, { kind: "thread", title: one.name, note: `thread ${one.thread}`, thread: one, cycle });
    people.forEach((one, place) => {
      const wants = this.object(one.wants, cycle), seconds = one.seconds ? `waits ${one.seconds} s` : "waits";
      this.join(`thread ${one.thread}`, wants, seconds, cycle);
      if (!cycle || one.waitsFor === undefined) return;
      const next = people[(place + 1) % people.length], held = next.holds && next.holds.address !== "0x0" ? this.object(next.holds, cycle) : wants;
      if (held !== wants) this.join(wants, held, one.detail || "needs", cycle);
      this.join(held, `thread ${next.thread}`, held === wants && one.detail ? one.detail : "held by", cycle, true);
    });
    (report.ring || []).forEach((one, place, all) => this.join(this.object(one, true), this.object(all[(place + 1) % all.length], true), "waits for", true));
    for (const one of report.objects || []) {
      const node = this.nodes.get(this.object(one.object, false));
      Object.assign(node, { lack: one });
    }
    // Two orders of the same locks are a cycle, too.
    for (const step of report.steps || []) {
      const lock = text => this.add(`lock ${text}`, { kind: "object", title: text, note: "lock", object: { kind: "lock", name: text, description: text, address: "" }, cycle: true, steps: report.steps });
      this.join(lock(step.held), lock(step.wanted), `${step.name || "thread"} ${step.thread || ""} takes`, true);
    }
    if (report.kind === "misuse" || report.kind === "longItem") {
      this.add(`thread ${report.thread}`, { kind: "thread", title: report.name || "thread", note: `thread ${report.thread}`, thread: report, cycle: true });
      if (report.object) this.join(`thread ${report.thread}`, this.object(report.object, true), "misused", true);
    }
    if (report.cause === "dependency cycle") this.closes(report.objects || []);
  }

  /// Things that depend on each other: each waits for the next.
  closes(objects) {
    objects.forEach((one, place) => {
      const key = this.object(one.object, true);
      this.nodes.get(key).cycle = true;
      if (objects.length > 1) this.join(key, this.object(objects[(place + 1) % objects.length].object, true), "waits for", true);
    });
  }

  add(key, node) {
    if (!this.nodes.has(key)) this.nodes.set(key, { key, ...node });
    return key;
  }
  object(object, cycle) {
    return this.add(`${object.kind} ${object.address}`, { kind: "object", title: object.name || object.kind || "?", note: object.address, object, cycle });
  }
  join(from, to, note, cycle, held = false) {
    if (!this.edges.some(edge => edge.from === from && edge.to === to)) this.edges.push({ from, to, note, cycle, held });
  }

  /// Those of the cycle round about, many of them down one side and up the other; the others in two columns, threads beside what they wait for.
  place() {
    const all = [...this.nodes.values()], ring = this.walk(all.filter(node => node.cycle)), rest = all.filter(node => !ring.includes(node)), count = ring.length;
    const left = WIDTH / 2 + 20, top = HEIGHT / 2 + 20, half = Math.ceil(count / 2);
    if (count <= 2) ring.forEach((node, place) => Object.assign(node, { x: left + place * (WIDTH + 200), y: top }));
    else if (count > 6 || count === 4) ring.forEach((node, place) => Object.assign(node, place < half
      ? { x: left + WIDTH + 120, y: top + place * 106 } : { x: left, y: top + (count - 1 - place + (count % 2)) * 106 - (count % 2 ? 53 : 0) }));
    else ring.forEach((node, place) => {
      const angle = place / count * 2 * Math.PI - Math.PI / 2;
      Object.assign(node, { x: left + 190 * (1 + Math.cos(angle)), y: top + 150 * (1 + Math.sin(angle)) });
    });
    const below = count ? Math.max(...ring.map(node => node.y)) + HEIGHT + 50 : top;
    const objects = rest.filter(node => node.kind === "object"), threads = rest.filter(node => node.kind === "thread");
    const target = node => { const edge = this.edges.find(edge => edge.from === node.key); return edge ? objects.findIndex(one => one.key === edge.to) : objects.length; };
    threads.sort((one, other) => target(one) - target(other));
    const rows = Math.max(threads.length, objects.length), column = (nodes, x) => nodes.forEach((node, place) => Object.assign(node, {
      x, y: below + (place + (rows - nodes.length) / 2) * (HEIGHT + 30) }));
    column(threads, left);
    column(objects, left + WIDTH + 150);
    this.width = Math.max(...all.map(node => node.x)) + WIDTH / 2 + 20;
    this.height = Math.max(...all.map(node => node.y)) + HEIGHT / 2 + (this.edges.some(edge => edge.from === edge.to) ? 70 : 20);
  }

  /// The nodes in the order of their edges.
  walk(nodes) {
    const order = [];
    let node = nodes[0];
    while (node && !order.includes(node)) {
      order.push(node);
      const edge = this.edges.find(edge => edge.from === node.key && edge.cycle);
      node = edge && this.nodes.get(edge.to);
    }
    return [...order, ...nodes.filter(node => !order.includes(node))];
  }
}

/// Where the line to a node meets its frame.
function border(node, from) {
  const x = from.x - node.x, y = from.y - node.y, share = Math.min((WIDTH / 2 + 3) / Math.max(0.01, Math.abs(x)), (HEIGHT / 2 + 3) / Math.max(0.01, Math.abs(y)));
  return { x: node.x + x * share, y: node.y + y * share };
}

class ReportView {
  constructor(reports) {
    this.reports = reports;
    document.getElementById("reports").append(...(reports.length < 2 ? [] : reports.map((report, place) => make("button", {
      type: "button", "data-report": place, click: () => this.show(place) }, `${place + 1}. ${this.heading(report)}`))));
    this.show(0);
  }

  heading(report) {
    const others = { misuse: "Misuse", lockOrder: "Lock order", longItem: "An item that takes long" };
    if (others[report.kind]) return others[report.kind];
    const word = report.kind === "stall" ? "Stall" : "Deadlock";
    return report.certainty === "suspected" ? `Suspected ${word.toLowerCase()}` : word;
  }

  show(place) {
    const report = this.reports[place], graph = new Graph(report);
    document.querySelectorAll("#reports button").forEach((button, other) => button.setAttribute("aria-selected", String(other === place)));
    document.getElementById("title").textContent = this.heading(report);
    document.title = `${this.heading(report)} \u2013 Signalbox report`;
    const ring = report.ring || [], people = report.participants || [];
    const said = report.summary || report.message || (report.kind === "longItem" ? `An item has run for ${report.seconds} s; the limit is ${report.limit} s.` : ring.length
      ? `${plural(ring.length, "object")} wait for one another.` : people.length === 1
        ? "One thread waits for what only it could end." : `${plural(people.length, "thread")} wait for one another.`);
    const others = [...(report.omitted ? [`${plural(report.omitted, "thread")} more wait.`] : []), ...(report.mayStillEnd || []).map(who => `It might still be ended by ${who}`)];
    document.getElementById("picture").replaceChildren(
      ...said.split("\n").map(line => make("p", null, shown(line))), ...others.map(text => make("p", null, shown(text))), report.hint ? make("p.mend", null, `Fix: ${shown(report.hint)}`) : "",
      graph.nodes.size ? this.picture(graph) : "");
    const first = [...graph.nodes.values()][0];
    if (first) this.choose(first);
    else document.getElementById("details").replaceChildren(make("p", null, "The report names no thread and no object."));
  }

  picture(graph) {
    graph.place();
    const heads = ["", "cycle"].map(kind => draw("marker", { id: `head${kind}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" },
      draw("path", { d: "M0 0L10 5L0 10z", class: `head ${kind}` })));
    const edges = graph.edges.map(edge => this.edge(graph, edge)), nodes = [...graph.nodes.values()].map(node => this.node(node));
    return draw("svg", { width: graph.width, height: graph.height, viewBox: `0 0 ${graph.width} ${graph.height}`, role: "group", "aria-label": "Threads, and what they wait for" },
      draw("defs", {}, heads), edges, nodes);
  }

  edge(graph, { from, to, note, cycle, held }) {
    const [one, other] = [graph.nodes.get(from), graph.nodes.get(to)], back = graph.edges.some(edge => edge.from === to && edge.to === from);
    // Two that wait for each other have a line each.
    const bend = one === other ? 0 : back ? 44 : 0, start = border(one, other), end = border(other, one), length = Math.hypot(end.x - start.x, end.y - start.y) || 1;
    const middle = { x: (start.x + end.x) / 2 + (end.y - start.y) / length * bend, y: (start.y + end.y) / 2 - (end.x - start.x) / length * bend };
    const path = one === other ? `M${one.x - 40} ${one.y + HEIGHT / 2}c-10 50 90 50 80 0` : `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
    const label = one === other ? { x: one.x, y: one.y + HEIGHT / 2 + 48 } : { x: (start.x + end.x) / 4 + middle.x / 2, y: (start.y + end.y) / 4 + middle.y / 2 };
    // Beside a line that goes up or down, above one that goes across, outside of one that bends.
    const isUpright = one !== other && Math.abs(end.x - start.x) < 30, beside = isUpright && !bend ? 8 : 0, below = bend && middle.y > (start.y + end.y) / 2 ? 16 : isUpright ? 4 : -5;
    return [draw("path", { d: path, class: `edge${cycle ? " cycle" : ""}${held ? " held" : ""}`, "marker-end": `url(#head${cycle ? "cycle" : ""})` }),
      draw("text", { x: label.x + beside, y: label.y + below, "text-anchor": beside ? "start" : "middle", class: "note" }, clipped(shown(note), 40))];
  }

  node(node) {
    const open = () => this.choose(node), title = clipped(shown(node.title), 28);
    node.element = draw("g", {
      class: `node ${node.kind}${node.cycle ? " cycle" : ""}`, tabindex: 0, role: "button", "aria-label": `${node.kind} ${shown(node.title)}`, click: open,
      keydown: event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } } },
      draw("rect", { x: node.x - WIDTH / 2, y: node.y - HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: node.kind === "thread" ? 26 : 6 }),
      draw("text", { x: node.x, y: node.y - (node.note ? 4 : -4), "text-anchor": "middle" }, title),
      draw("text", { x: node.x, y: node.y + 14, "text-anchor": "middle", class: "small" }, clipped(shown(node.lack ? node.lack.lacks : node.note), 36)));
    return node.element;
  }

  choose(node) {
    document.querySelectorAll(".node.chosen").forEach(other => other.classList.remove("chosen"));
    if (node.element) node.element.classList.add("chosen");
    document.getElementById("details").replaceChildren(...(node.thread ? this.thread(node.thread) : this.object(node)));
  }

  stack(title, lines) {
    if (!lines || !lines.length) return [];
    return [make("h3", null, title), make("ol.stack", null, ...lines.map(line => make(line.startsWith("(") ? "li.ours" : "li", null, name(line))))];
  }

  item(item) { return item ? `${item.kind}${item.function ? `: ${item.function}` : ""}` : null; }

  thread(one) {
    const text = value => value ? name(value) : null;
    return [
      make("p.kind", null, "Thread"), make("h2", null, name(one.name || "thread"), ` ${one.thread}`),
      pairs([
        ["waits for", one.wants && one.wants.address !== "0x0" ? name(one.wants.name) : null], ["", text(one.wants && one.wants.description)],
        ["for", one.seconds ? `${one.seconds} s` : null], ["because", text(one.detail)], ["holds", text(one.holds && one.holds.name)],
        ["", text(one.holds && one.holds.description)], ["who has it", one.waitsFor === undefined ? null : `thread ${one.waitsFor}`],
        ["runs", text(this.item(one.item))], ["inside of", one.inside && one.inside.length ? one.inside.map(inside => make("div", null, name(inside))) : null]]),
      ...this.stack(one.wants ? "Where it waits" : "Where it was", one.stack), ...this.stack("Where it got what it holds", one.acquired),
      ...Object.entries(one.notes || {}).flatMap(([title, lines]) => this.stack(title, lines))];
  }

  object({ object, lack, steps }) {
    return [
      make("p.kind", null, shown(object.kind)), make("h2", null, name(object.name)), pairs([["is", name(object.description)], ["address", object.address ? name(object.address) : null], ["lacks", lack ? name(lack.lacks) : null]]),
      ...(steps || []).filter(step => [step.held, step.wanted].includes(object.name)).flatMap(step => [
        ...this.stack(`${shown(step.held)} was taken at`, step.heldAt), ...this.stack(`${shown(step.wanted)} was asked for at`, step.wantedAt)]),
      ...(lack ? [
        ...lack.entered.flatMap(one => this.stack(`Entered ${one.count === 1 ? "once" : `${one.count} times`} at`, one.stack)), ...this.stack("Stopped at", lack.stopped),
        ...(lack.items.length ? [make("h3", null, "Its first items"), ...lack.items.map(item => make("p", null, name(this.item(item))))] : [])] : [])];
  }
}

window.signalbox = new ReportView(JSON.parse(embedded("data")));
