// recording.js: the recording as the page has it: columns of numbers made into rows of slices, and into pyramids over both rows and depths, from
// which any stretch of time can be drawn in as many steps as there are pixels. PageData+Columns.swift writes the columns.

const ITEM = 0, TURN = 1, WAIT = 2, PARKED = 3, INTERVAL = 4, OPERATION = 5, ACTIVITY = 6, TRANSFER = 7;
/// Bars of tasks' lanes: a task from its first part to its last, a part, an await. They lie behind all other slices.
const TASK = 8, PART = 9, AWAIT = 10;
/// How many tasks a lane shows beside each other.
const MOST_BESIDE = 60;
/// Kinds of activities: what runs once, a source's handler, a run of a loop, and a phase of it.
const ONCE = 0, SOURCE = 1, LOOP = 2, PHASE = 3;
/// Tints: of items and of turns one for each of some queues, then those of the other kinds.
const HUES = [214, 158, 272, 48, 188, 318, 96, 238, 34, 296];
const TURNS = HUES.length, WAITS = 2 * HUES.length, INTERVALS = WAITS + 1, RESTS = WAITS + 2, TINTS = WAITS + 3;
const CLASSES = [null, "background", "utility", "default", "user-initiated", "user-interactive"];
/// How many of one level a level above has in one.
const FACTOR = 8;

/// Reads a column: seven bits a byte, the lowest first.
class Column {
  constructor(id) {
    const letters = embedded("column-" + id);
    if (Uint8Array.fromBase64) {
      this.bytes = Uint8Array.fromBase64(letters);
    } else {
      const binary = atob(letters);
      this.bytes = new Uint8Array(binary.length);
      for (let place = 0; place < binary.length; place++) this.bytes[place] = binary.charCodeAt(place);
    }
    this.place = 0;
  }
  next() {
    let byte = this.bytes[this.place++], value = byte & 127, scale = 128;
    while (byte > 127) {
      byte = this.bytes[this.place++];
      value += (byte & 127) * scale;
      scale *= 128;
    }
    return value;
  }
}

/// The first place whose value is greater than `value`, of `count` sorted ones.
function firstAfter(sorted, value, end = sorted.length) {
  let low = 0, high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

/// Slices of which none overlaps the next, in order, with levels above them: of each block how long its slices are together, and of its longest how
/// long that is and its tint. Times lie in the row itself, side by side: a step through a row then touches one line of the cache, not five.
class Row {
  constructor(ids, recording) {
    const count = ids.length, begin = new Float64Array(count), end = new Float64Array(count), tint = new Uint8Array(count);
    for (let place = 0; place < count; place++) {
      const id = ids[place];
      [begin[place], end[place], tint[place]] = [recording.sliceBegin[id], recording.sliceEnd[id], recording.tint[id]];
    }
    Object.assign(this, { ids, begin, end, tint, levels: [] });
    let below = { busy: begin.map((from, place) => end[place] - from), tint };
    below.longest = below.busy;
    for (let size = FACTOR; size <= count; size *= FACTOR) {
      const blocks = Math.floor(count / size), level = { size, busy: new Float64Array(blocks), longest: new Float64Array(blocks), tint: new Uint8Array(blocks) };
      for (let block = 0; block < blocks; block++) {
        let best = block * FACTOR, sum = 0;
        for (let part = block * FACTOR; part < (block + 1) * FACTOR; part++) {
          sum += below.busy[part];
          if (below.longest[part] > below.longest[best]) best = part;
        }
        [level.busy[block], level.longest[block], level.tint[block]] = [sum, below.longest[best], below.tint[best]];
      }
      this.levels.push(level);
      below = level;
    }
  }
  /// The first place whose slice ends after `time`.
  after(time) {
    return firstAfter(this.end, time);
  }
  /// The first place whose slice begins at `time` or later.
  from(time) {
    let low = 0, high = this.ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.begin[middle] >= time) high = middle; else low = middle + 1;
    }
    return low;
  }
}

/// How many items wait from which time on.
class Curve {
  constructor(come, go) {
    come.sort();
    go.sort();
    const times = new Float64Array(come.length + go.length), values = new Uint32Array(times.length);
    let a = 0, b = 0, points = 0, depth = 0;
    while (a < come.length || b < go.length) {
      const time = b >= go.length || come[a] <= go[b] ? come[a] : go[b];
      while (a < come.length && come[a] === time) { a++; depth++; }
      // What comes and goes at one moment has waited.
      const highest = depth;
      while (b < go.length && go[b] === time) { b++; depth--; }
      if (highest !== depth && highest > (points ? values[points - 1] : 0)) { times[points] = time; values[points++] = highest; }
      times[points] = time;
      values[points++] = depth;
    }
    [this.times, this.values, this.levels] = [times.slice(0, points), values.slice(0, points), []];
    let below = this.values;
    for (let size = FACTOR; size <= points; size *= FACTOR) {
      const level = new Uint32Array(Math.floor(points / size));
      for (let block = 0; block < level.length; block++) {
        let greatest = 0;
        for (let part = block * FACTOR; part < (block + 1) * FACTOR; part++) greatest = Math.max(greatest, below[part]);
        level[block] = greatest;
      }
      this.levels.push(level);
      below = level;
    }
    this.greatest = this.most(0, points);
  }
  /// The greatest value of the places from `first` to before `end`.
  most(first, end) {
    let greatest = 0, place = first;
    while (place < end) {
      let level = -1, size = 1;
      while (level + 1 < this.levels.length && place % (size * FACTOR) === 0 && place + size * FACTOR <= end) { level++; size *= FACTOR; }
      greatest = Math.max(greatest, level < 0 ? this.values[place] : this.levels[level][place / size]);
      place += size;
    }
    return greatest;
  }
  at(time) {
    const place = firstAfter(this.times, time);
    return place ? this.values[place - 1] : 0;
  }
}

/// Everything there is, with a lane for each thread and each queue.
class Recording {
  constructor(header) {
    Object.assign(this, header);
    this.readSlices(header.counts.slices, header.counts.tasks);
    this.readWaiting(header.counts.waiting);
    this.readMoments(header.counts);
    this.queueRow = new Uint8Array(this.head.length);
    this.lanes = [...this.threadLanes(), ...this.queueLanes(), ...this.laneOfTasks()];
    const byIndex = kind => new Map(this.lanes.filter(lane => lane.kind === kind).map(lane => [lane.index, lane]));
    [this.laneOfQueue, this.laneOfTask] = [byIndex("queue"), byIndex("task")];
    this.begin = 0;
  }

  readSlices(slices, tasks) {
    const count = slices + tasks;
    const columns = Object.fromEntries(["begin", "length", "head", "thread", "what", "whose", "extra"].map(id => [id, new Column(id)]));
    this.sliceBegin = new Float64Array(count);
    this.sliceEnd = new Float64Array(count);
    this.head = new Uint8Array(count);
    this.thread = new Uint32Array(count);
    this.what = new Uint32Array(count);
    this.whose = new Uint32Array(count);
    this.submitted = new Float64Array(count).fill(NaN);
    this.submitter = new Uint32Array(count);
    this.serviceClass = new Uint8Array(count);
    this.tint = new Uint8Array(count);
    this.numbers = new Map();
    // Of an item: what it follows. Of an operation: for how long it depended on others, and on which last. Of a wait: when it was ended, by whom.
    // Of a transfer: bytes, what was asked for, and the error.
    this.more = new Map();
    let time = 0;
    for (let id = 0; id < slices; id++) {
      time += columns.begin.next();
      this.sliceBegin[id] = time;
      this.sliceEnd[id] = time + columns.length.next();
      const head = columns.head.next(), kind = head & 7;
      this.head[id] = head;
      this.thread[id] = columns.thread.next();
      if (kind !== TURN && kind !== PARKED) this.what[id] = columns.what.next();
      if (kind !== INTERVAL && kind !== PARKED) this.whose[id] = columns.whose.next();
      this.readExtra(id, kind, columns.extra);
      this.tint[id] = this.tintOf(id, kind);
    }
    this.readTasks(slices, count);
  }

  readTasks(first, end) {
    const column = new Column("tasks"), bars = new Map();
    let time = 0;
    for (let id = first; id < end; id++) {
      time += column.next();
      this.sliceBegin[id] = time;
      this.sliceEnd[id] = time + column.next();
      const kind = TASK + column.next();
      this.head[id] = kind & 7 | 64;
      this.what[id] = column.next();
      const number = column.next();
      if (kind === TASK) {
        bars.set(number, id);
        this.whose[id] = column.next();
        this.more.set(id, { number, name: column.next() - 1, parts: 0, busy: 0, awaited: 0 });
      } else {
        const task = bars.get(number), sums = this.more.get(task);
        this.whose[id] = this.whose[task];
        this.more.set(id, { task });
        if (kind === PART) { this.thread[id] = column.next(); sums.parts++; sums.busy += this.length(id); } else sums.awaited += this.length(id);
      }
      this.tint[id] = this.tintOf(id, kind);
    }
  }

  readExtra(id, kind, extra) {
    const head = this.head[id], next = () => extra.next();
    if (head & 16) {
      [this.submitted[id], this.submitter[id]] = [this.sliceBegin[id] - next(), next()];
      if (kind === ITEM) {
        this.serviceClass[id] = next();
        const cause = next();
        if (cause) this.more.set(id, { cause: cause - 1 });
      } else {
        this.more.set(id, { held: next(), holder: next() - 1 });
      }
    } else if (kind === WAIT && head & 8) this.more.set(id, { woken: this.sliceEnd[id] - next(), waker: next() });
    else if (kind === TRANSFER) this.more.set(id, { bytes: next(), asked: next() - 1, error: next() });
    else if (kind === ACTIVITY && this.whose[id] === SOURCE) this.numbers.set(id, BigInt(next()));
    else if (kind === INTERVAL) {
      const low = next(), high = next();
      this.numbers.set(id, BigInt(high) << 32n | BigInt(low));
    }
  }

  tintOf(id, kind) {
    switch (kind) {
      case ITEM: case OPERATION: case TRANSFER: return this.whose[id] % HUES.length;
      case TURN: return TURNS + this.whose[id] % HUES.length;
      case WAIT: case AWAIT: return WAITS;
      case PARKED: return RESTS;
      case PART: return this.whose[id] % HUES.length;
      case TASK: return TURNS + this.whose[id] % HUES.length;
      default: return kind === ACTIVITY && this.head[id] & 8 ? RESTS : INTERVALS;
    }
  }

  readWaiting(count) {
    const column = new Column("waiting");
    let time = 0;
    this.waiting = Array.from({ length: count }, () => {
      time += column.next();
      const item = { submitted: time, end: time + column.next(), thread: column.next(), queue: column.next(), what: column.next() };
      const traits = column.next();
      return Object.assign(item, { serviceClass: traits & 7, isBarrier: (traits & 8) !== 0 });
    });
  }

  readMoments(counts) {
    const marks = new Column("marks"), timers = new Column("timers"), activities = new Column("activities");
    let time = 0;
    this.marks = Array.from({ length: counts.marks }, () => {
      time += marks.next();
      const mark = { time, thread: marks.next(), note: marks.next() }, low = marks.next();
      return Object.assign(mark, { number: BigInt(marks.next()) << 32n | BigInt(low) });
    });
    time = 0;
    this.timers = Array.from({ length: counts.timers }, () => {
      time += timers.next();
      return { time, thread: timers.next(), object: timers.next(), late: timers.next() - 1 };
    });
    time = 0;
    this.activities = Array.from({ length: counts.activities }, () => {
      time += activities.next();
      return { time, thread: activities.next(), text: activities.next(), count: activities.next() - 1 };
    });
  }

  kind(id) { return this.head[id] & 7 | (this.head[id] & 64) >> 3; }
  isBarrier(id) { return (this.head[id] & 8) !== 0; }
  /// Whether it only says what the thread does otherwise.
  isFrame(id) { return this.kind(id) === INTERVAL || this.kind(id) === ACTIVITY && this.whose[id] >= LOOP; }
  /// Whether it lies in the lane of a queue.
  isOfQueue(id) { return [ITEM, TURN, OPERATION, TRANSFER].includes(this.kind(id)); }
  /// Whether it is a bar of a task's lane.
  isOfTask(id) { return this.kind(id) >= TASK; }
  /// Whether it lies in the lane of a thread; a transfer is nobody's while it is under way.
  isOfThread(id) { return this.kind(id) < TRANSFER; }
  isCut(id) { return (this.head[id] & 32) !== 0; }
  length(id) { return this.sliceEnd[id] - this.sliceBegin[id]; }

  /// Slices by the lane and the row that `choose` gives; a lane less than 0: none.
  rows(count, choose) {
    const sizes = Array.from({ length: count }, () => []), rows = Array.from({ length: count }, () => []);
    const total = this.head.length, lane = new Int32Array(total), row = new Int32Array(total);
    for (let id = 0; id < total; id++) {
      choose(id);
      lane[id] = choose.lane;
      row[id] = choose.row;
      if (choose.lane >= 0) sizes[choose.lane][choose.row] = (sizes[choose.lane][choose.row] || 0) + 1;
    }
    for (let place = 0; place < count; place++) rows[place] = Array.from(sizes[place], size => new Uint32Array(size || 0));
    const filled = rows.map(list => list.map(() => 0));
    for (let id = 0; id < total; id++) {
      if (lane[id] >= 0) rows[lane[id]][row[id]][filled[lane[id]][row[id]]++] = id;
    }
    return rows.map(list => list.map(ids => new Row(ids, this)));
  }

  /// What a thread is inside of lies below what it is in.
  threadLanes() {
    const open = this.threads.map(() => []);
    this.depth = new Uint8Array(this.head.length);
    const busy = (id) => {
      busy.lane = busy.row = -1;
      if (this.kind(id) === PARKED || !this.isOfThread(id)) return;
      const thread = this.thread[id], stack = open[thread], begin = this.sliceBegin[id];
      while (stack.length && stack[stack.length - 1] <= begin) stack.pop();
      this.depth[id] = Math.min(255, stack.length);
      [busy.lane, busy.row] = [thread, this.depth[id]];
      stack.push(this.sliceEnd[id]);
    };
    const parked = (id) => { [parked.lane, parked.row] = this.kind(id) === PARKED ? [this.thread[id], 0] : [-1, 0]; };
    const rows = this.rows(this.threads.length, busy), rests = this.rows(this.threads.length, parked);
    const submissions = this.submissions(), times = list => Float64Array.from(list, one => one.time);
    const [marks, timers, activities, gaps] = [this.marks, this.timers, this.activities, this.gaps].map(all => {
      const lists = this.threads.map(() => []);
      for (const one of all) lists[one.thread].push(one);
      return lists;
    });
    return this.threads.map((thread, index) => ({
      kind: "thread", index, name: shown(thread.name), rows: rows[index], parked: rests[index][0] || null, submissions: submissions[index],
      marks: marks[index], timers: timers[index], activities: activities[index], gaps: gaps[index], markTimes: times(marks[index]),
      timerTimes: times(timers[index]), activityTimes: times(activities[index]),
    })).sort((one, other) => this.threads[other.index].isMain - this.threads[one.index].isMain);
  }

  /// What each thread submitted, in the order of time; the numbers of items that never began are behind those of all slices.
  submissions() {
    const lists = this.threads.map(() => []), total = this.head.length;
    for (let id = 0; id < total; id++) if (this.head[id] & 16) lists[this.submitter[id]].push(id);
    this.waiting.forEach((item, place) => lists[item.thread].push(total + place));
    return lists.map(list => {
      const ids = Uint32Array.from(list).sort((one, other) => this.submissionTime(one) - this.submissionTime(other));
      return { ids, times: Float64Array.from(ids, id => this.submissionTime(id)) };
    });
  }
  submissionTime(id) { return id < this.head.length ? this.submitted[id] : this.waiting[id - this.head.length].submitted; }

  /// Items and turns that run beside each other lie below each other.
  queueLanes() {
    const ends = this.queues.map(() => []), stats = this.queues.map(() => ({ items: 0, turns: 0, ran: 0, waited: 0, longest: 0 }));
    const come = this.queues.map(() => []), go = this.queues.map(() => []);
    const choose = (id) => {
      choose.lane = choose.row = -1;
      if (!this.isOfQueue(id)) return;
      const queue = this.whose[id], rows = ends[queue], begin = this.sliceBegin[id], stat = stats[queue];
      let row = 0;
      while (row < rows.length && row < 255 && rows[row] > begin) row++;
      rows[row] = this.sliceEnd[id];
      [choose.lane, choose.row] = [queue, row];
      this.queueRow[id] = row;
      stat.ran += this.length(id);
      if (this.kind(id) === TURN) { stat.turns++; return; }
      stat.items++;
      if (!(this.head[id] & 16)) return;
      come[queue].push(this.submitted[id]);
      go[queue].push(begin);
      stat.waited += begin - this.submitted[id];
      stat.longest = Math.max(stat.longest, begin - this.submitted[id]);
    };
    const rows = this.rows(this.queues.length, choose);
    for (const item of this.waiting) { come[item.queue].push(item.submitted); go[item.queue].push(item.end); }
    return this.queues.map((queue, index) => ({
      kind: "queue", index, name: shown(queue.name), rows: rows[index], stats: stats[index],
      curve: new Curve(Float64Array.from(come[index]), Float64Array.from(go[index])),
    })).sort((one, other) => other.stats.items + other.stats.turns - one.stats.items - one.stats.turns);
  }

  /// Tasks that began with one function have a lane: two rows for each task beside others, its bar, and its parts and awaits below.
  laneOfTasks() {
    const ends = this.taskLanes.map(() => []), stats = this.taskLanes.map(() => ({ tasks: 0, hidden: 0, parts: 0, busy: 0, awaited: 0 }));
    const choose = id => {
      choose.lane = choose.row = -1;
      if (!this.isOfTask(id)) return;
      const lane = this.whose[id], more = this.more.get(id);
      if (this.kind(id) === TASK) {
        const stat = stats[lane], begin = this.sliceBegin[id];
        stat.tasks++;
        stat.parts += more.parts;
        stat.busy += more.busy;
        stat.awaited += more.awaited;
        let pair = 0;
        while (pair < ends[lane].length && ends[lane][pair] > begin) pair++;
        if (pair === MOST_BESIDE) { stat.hidden++; more.pair = -1; return; }
        ends[lane][pair] = this.sliceEnd[id];
        more.pair = pair;
        [choose.lane, choose.row] = [lane, 2 * pair];
      } else {
        const { pair } = this.more.get(more.task);
        if (pair < 0) return;
        [choose.lane, choose.row] = [lane, 2 * pair + 1];
      }
      this.queueRow[id] = choose.row;
    };
    const rows = this.rows(this.taskLanes.length, choose);
    return this.taskLanes.map((name, index) => ({ kind: "task", index, name: shown(name), rows: rows[index], stats: stats[index] }))
      .sort((one, other) => other.stats.busy - one.stats.busy);
  }

  threadName(thread) { return this.threads[thread].name; }

  /// A task's number, and the name that the program gave it.
  taskName(id) {
    const { number, name } = this.more.get(id);
    return `task ${number}${name < 0 ? "" : ` "${this.notes[name]}"`}`;
  }

  /// What a slice is called.
  title(id) {
    switch (this.kind(id)) {
      case ITEM: return this.functions[this.what[id]].name;
      case TURN: return (this.isBarrier(id) ? "barrier sync on " : "sync on ") + this.queues[this.whose[id]].name;
      case WAIT: return "wait for " + this.objects[this.what[id]];
      case PARKED: return "parked";
      case OPERATION: case TRANSFER: return this.functions[this.what[id]].name;
      case ACTIVITY: return this.objects[this.what[id]];
      case TASK: return `${this.taskName(id)}: ${this.functions[this.what[id]].name}`;
      case PART: return this.functions[this.what[id]].name;
      case AWAIT: return "await in " + this.functions[this.what[id]].name;
      default: return this.notes[this.what[id]];
    }
  }

  /// How many threads run and wait in each of `count` parts of the recording.
  load(count) {
    const run = new Float64Array(count), wait = new Float64Array(count), width = Math.max(1, this.end - this.begin) / count;
    const until = new Float64Array(this.threads.length);
    for (let id = 0; id < this.head.length; id++) {
      const kind = this.kind(id), from = this.sliceBegin[id], to = this.sliceEnd[id], thread = this.thread[id];
      if (kind === PARKED || this.isFrame(id) || !this.isOfThread(id) || (kind !== WAIT && from < until[thread])) continue;
      if (kind !== WAIT) until[thread] = to;
      const into = kind === WAIT ? wait : run, begin = (from - this.begin) / width, end = (to - this.begin) / width;
      for (let part = Math.max(0, Math.floor(begin)); part <= end && part < count; part++) {
        into[part] += Math.max(0, Math.min(end, part + 1) - Math.max(begin, part));
      }
    }
    // A wait inside of an item is no running.
    for (let part = 0; part < count; part++) run[part] = Math.max(0, run[part] - wait[part]);
    return { run, wait };
  }
}
