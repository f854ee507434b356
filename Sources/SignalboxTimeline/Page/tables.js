// tables.js: the summary's tables, whatever it has: a table for each list of objects. A row that says "at", in nanoseconds from the recording's
// begin on, jumps there when it is clicked; one that has a name shows what is called so.

/// Names of members that are spans of nanoseconds.
const SPANS = /^(p\d+|longest|shortest|mean|median|total|at|begin|end|due|late|lateness|waited|waiting|took|parked|nanoseconds|ran|running|time|times|span|length|duration|wait|run|held|busy|blocked|over|sum)$|(Time|Span|Wait|Nanoseconds|Longest|Duration)$/;
const MOST_ROWS = 500;

/// "greatestDepth" in words.
function words(key) { return key.replace(/([a-z0-9])([A-Z])/g, (_, one, other) => one + " " + other.toLowerCase()).replace(/\./g, " "); }

/// An object with its inner objects' members beside its own: "waiting.p50".
function flat(object, before = "", into = {}) {
  for (const [key, value] of Object.entries(object)) {
    if (value && typeof value === "object" && !Array.isArray(value)) flat(value, before + key + ".", into);
    else into[before + key] = value;
  }
  return into;
}

function cell(key, value) {
  const last = key.split(".").pop();
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return last === "at" ? moment(value) : SPANS.test(last) ? span(value) : Number.isInteger(value) ? count(value) : String(Math.round(value * 1000) / 1000);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? shown(value) : shown(JSON.stringify(value));
}

class Tables {
  constructor(element, summary, go) {
    [this.element, this.go] = [element, go];
    const isList = value => Array.isArray(value) && value.some(one => one && typeof one === "object" && !Array.isArray(one));
    this.lists = Object.entries(summary).filter(([, value]) => isList(value));
    const rest = Object.entries(summary).filter(([, value]) => !Array.isArray(value) && value !== null);
    if (rest.length) this.lists.push(["in all", Object.entries(flat(Object.fromEntries(rest))).map(([word, value]) => ({ name: words(word), value: cell(word, value) }))]);
    this.chosen = 0;
    this.folded = false;
    this.sort = null;
    this.build();
  }

  build() {
    const tabs = this.lists.map(([key, rows], place) => make("button", {
      type: "button", role: "tab", "aria-selected": String(place === this.chosen && !this.folded), "data-table": key,
      click: () => { [this.chosen, this.folded, this.sort] = [place, false, null]; this.build(); },
    }, `${words(key)} ${key === "in all" ? "" : count(rows.length)}`));
    const fold = make("button.fold", { type: "button", title: "Tables (T)", click: () => this.toggle() }, this.folded ? "Show the tables (T)" : "Hide (T)");
    const rows = this.lists.length ? this.lists[this.chosen][1] : [];
    this.element.replaceChildren(make("nav", { role: "tablist" }, ...tabs, fold), ...(this.folded ? [] : [make("div.sheet", null, this.table(rows.filter(row => row && typeof row === "object")))]));
    this.go.resized();
  }

  toggle() { this.folded = !this.folded; this.build(); }

  table(rows) {
    const made = rows.map(row => ({ row, cells: flat(row) })), keys = [...new Set(made.flatMap(({ cells }) => Object.keys(cells)))];
    const isText = Object.fromEntries(keys.map(key => [key, made.some(({ cells }) => typeof cells[key] === "string" || Array.isArray(cells[key]))]));
    if (this.sort) {
      const { key, down } = this.sort, order = (one, other) => (one === undefined || one === null) - (other === undefined || other === null)
        || (typeof one === "string" || typeof other === "string" ? String(one).localeCompare(String(other)) : one - other) * (down ? -1 : 1);
      made.sort((one, other) => order(one.cells[key], other.cells[key]));
    }
    const heads = keys.map(key => make(isText[key] ? "th.text" : "th", {
      scope: "col", title: "Sort", click: () => { this.sort = { key, down: this.sort && this.sort.key === key ? !this.sort.down : !isText[key] }; this.build(); },
    }, words(key), this.sort && this.sort.key === key ? (this.sort.down ? " \u2193" : " \u2191") : null));
    const lines = made.slice(0, MOST_ROWS).map(({ row, cells }) => this.line(row, cells, keys, isText));
    return [make("table", null, make("thead", null, make("tr", null, ...heads)), make("tbody", null, ...lines)),
      made.length > MOST_ROWS ? make("p", null, `The first ${count(MOST_ROWS)} of ${count(made.length)}.`) : null];
  }

  line(row, cells, keys, isText) {
    const jump = Number.isFinite(row.at) ? () => this.go.toEvent(row) : typeof row.name === "string" ? () => this.go.toName(row.name) : null;
    return make(jump ? "tr.jumps" : "tr", jump ? { tabindex: 0, click: jump, keydown: event => { if (event.key === "Enter") jump(); } } : null,
      ...keys.map(key => Array.isArray(cells[key]) ? make("td.text", null, ...this.list(cells[key]))
        : make(isText[key] ? "td.text" : "td", isText[key] ? { title: cell(key, cells[key]) } : null, isText[key] ? name(cell(key, cells[key])) : cell(key, cells[key]))));
  }

  /// A list within a row: its moments are buttons.
  list(all) {
    return all.flatMap(one => {
      if (!one || typeof one !== "object") return [name(cell("", one)), " "];
      const rest = Object.entries(flat(one)).filter(([key]) => key !== "at").map(([key, value]) => cell(key, value)).join(" ");
      return [Number.isFinite(one.at) ? make("button.link", { type: "button", click: event => { event.stopPropagation(); this.go.toEvent(one); } }, moment(one.at)) : null, ` ${rest} `];
    });
  }
}
