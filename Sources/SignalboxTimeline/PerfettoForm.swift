// PerfettoForm.swift: a recording in Perfetto's form: a track for each thread, each queue and each descriptor, slices,
// arrows from submission to run and from the thread that ends a wait to the thread that waited, depths as counters.
// Open it in ui.perfetto.dev or ask `trace_processor`. Groups, operations, sources, loops and transfers are
// PerfettoForm+Activities.swift.
import SignalboxRecorder
import SignalboxSystem

/// Turns recordings into traces of Perfetto's.
public enum PerfettoForm {
  /// Calls `write` with the bytes of the trace, piece by piece, until that says that it cannot go on.
  public static func write(_ recording: RecordingFile, _ write: @escaping ([UInt8]) -> Bool) {
    var writer = PerfettoWriter(recording, write)
    writer.process()
    Replay.run(recording, &writer)
    writer.finish()
  }
}

struct PerfettoWriter: TimelineSink {
  // The numbers of Perfetto's fields that are used here.
  private enum Trace { static let packet: UInt64 = 1 }
  private enum Packet {
    static let timestamp: UInt64 = 8, sequence: UInt64 = 10, event: UInt64 = 11, interned: UInt64 = 12, flags: UInt64 = 13
    static let dropped: UInt64 = 42, descriptor: UInt64 = 60
  }
  private enum Descriptor {
    static let uuid: UInt64 = 1, name: UInt64 = 2, process: UInt64 = 3, thread: UInt64 = 4, parent: UInt64 = 5,
      counter: UInt64 = 8
  }
  private enum Event {
    static let category: UInt64 = 22, annotation: UInt64 = 4, type: UInt64 = 9, name: UInt64 = 10, track: UInt64 = 11
    static let value: UInt64 = 30, flow: UInt64 = 47, lastFlow: UInt64 = 48
  }
  enum Kind { static let begin: UInt64 = 1, end: UInt64 = 2, instant: UInt64 = 3, counter: UInt64 = 4 }
  private static let sequence: UInt64 = 1
  private static let processTrack: UInt64 = 1

  private let recording: RecordingFile
  let names: TimelineNames
  var tasks: PerfettoTasks
  private let send: ([UInt8]) -> Bool
  private var isStopped = false
  private var out = ProtoWriter()
  private var interned: [String: UInt64] = [:]
  private var nextTrack: UInt64 = 2
  private var threadTracks: [Int: UInt64] = [:]
  private var counters: [Lane: UInt64] = [:]
  /// Tracks of a queue: an item takes the first that is free.
  private var lanes: [Lane: [(track: UInt64, isFree: Bool)]] = [:]
  private var laneOf: [LaneUser: (lane: Lane, place: Int)] = [:]

  /// What takes a track of a queue for its time.
  enum LaneUser: Hashable {
    case item(UInt64), operation(UInt64), transfer(UInt64), task(ReadNumber)
  }

  /// A queue's address may be another queue's later.
  struct Lane: Hashable {
    let address: ReadNumber
    let name: String
  }

  init(_ recording: RecordingFile, _ send: @escaping ([UInt8]) -> Bool) {
    (self.recording, self.send) = (recording, send)
    names = TimelineNames(recording)
    tasks = PerfettoTasks(recording)
  }

  // MARK: packets

  private mutating func packet(_ time: ReadNumber?, flags: UInt64 = 2, _ body: (inout ProtoWriter) -> Void) {
    out.message(Trace.packet) { packet in
      if let time { packet.integer(Packet.timestamp, time.bits) }
      packet.integer(Packet.sequence, Self.sequence)
      packet.integer(Packet.flags, flags)
      body(&packet)
    }
    if out.bytes.count > 1 << 16 { flush() }
  }

  private mutating func flush() {
    let bytes = out.take()
    if !isStopped, !bytes.isEmpty { isStopped = !send(bytes) }
  }

  mutating func finish() {
    endTasks(at: recording.end)
    flush()
  }

  mutating func process() {
    let path = recording.images.first?.path ?? ""
    let program = path.split(separator: "/").last.map(String.init) ?? "program",
      id = UInt64(UInt32(bitPattern: recording.process))
    packet(nil, flags: 1) { packet in
      packet.message(Packet.descriptor) {
        $0.integer(Descriptor.uuid, Self.processTrack)
        $0.message(Descriptor.process) {
          $0.integer(1, id)
          $0.text(6, program)
        }
      }
    }
    for thread in recording.threads.indices { _ = track(ofThread: thread) }
  }

  private mutating func newTrack() -> UInt64 {
    defer { nextTrack += 1 }
    return nextTrack
  }

  mutating func track(ofThread place: Int) -> UInt64 {
    if let known = threadTracks[place] { return known }
    let track = newTrack(), thread = recording.threads[place], id = UInt64(UInt32(bitPattern: recording.process))
    threadTracks[place] = track
    packet(nil) { packet in
      packet.message(Packet.descriptor) {
        $0.integer(Descriptor.uuid, track)
        $0.integer(Descriptor.parent, Self.processTrack)
        $0.message(Descriptor.thread) {
          $0.integer(1, id)
          $0.integer(2, UInt64(UInt32(bitPattern: thread.id)))
          $0.text(5, thread.name)
        }
      }
    }
    return track
  }

  private mutating func track(named name: String, isCounter: Bool = false) -> UInt64 {
    let track = newTrack()
    packet(nil) { packet in
      packet.message(Packet.descriptor) {
        $0.integer(Descriptor.uuid, track)
        $0.integer(Descriptor.parent, Self.processTrack)
        $0.text(Descriptor.name, name)
        if isCounter { $0.message(Descriptor.counter) { _ in } }
      }
    }
    return track
  }

  /// What an event says besides its name.
  enum Note {
    case text(String, String)
    case number(String, ReadNumber)
  }

  mutating func event(
    _ kind: UInt64, _ track: UInt64, at time: ReadNumber, _ name: String? = nil, category: String? = nil, flow: UInt64 = 0,
    isLastFlow: Bool = false, _ notes: [Note] = []
  ) {
    var fresh: (number: UInt64, name: String)?
    var number: UInt64 = 0
    if let name {
      number = interned[name] ?? 0
      if number == 0 {
        number = UInt64(interned.count + 1)
        interned[name] = number
        fresh = (number, name)
      }
    }
    packet(time) { packet in
      if let fresh {
        packet.message(Packet.interned) {
          $0.message(2) {
            $0.integer(1, fresh.number)
            $0.text(2, fresh.name)
          }
        }
      }
      packet.message(Packet.event) { event in
        event.integer(Event.type, kind)
        event.integer(Event.track, track)
        if number != 0 { event.integer(Event.name, number) }
        if let category { event.text(Event.category, category) }
        if flow != 0 { event.fixed(isLastFlow ? Event.lastFlow : Event.flow, flow) }
        for note in notes {
          event.message(Event.annotation) {
            switch note {
            case .text(let name, let value):
              $0.text(10, name)
              $0.text(6, value)
            case .number(let name, let value):
              $0.text(10, name)
              $0.integer(3, value.bits)
            }
          }
        }
      }
    }
  }

  // MARK: what happens

  mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) {
    event(
      Kind.instant, track(ofThread: thread), at: time, "submit to " + names.queue(item.queue, at: time), category: "submit",
      flow: item.flow, item.cause == 0 ? [] : [.text("after the end of", names.object(item.cause, at: time))])
  }

  mutating func began(_ slice: TimelineSlice, on thread: Int) {
    let track = track(ofThread: thread), time = slice.begin
    switch slice.kind {
    case .started:
      guard let item = slice.item else { return }
      let (name, place) = names.item(item), queue = names.queue(item.queue, at: time)
      var notes: [Note] = [.text("queue", queue)]
      if let place { notes.append(.text("place", place)) }
      if item.serviceClass != .none { notes.append(.text("class", item.serviceClass.words)) }
      if let submitted = item.submitted {
        notes.append(.number("waited (ns)", time - submitted.time))
        notes.append(.text("submitted by", names.thread(submitted.thread)))
      }
      if item.isBarrier { notes.append(.text("kind", "barrier")) }
      event(Kind.begin, track, at: time, name, category: "item", flow: item.flow, notes)
      let lane = takeLane(.item(item.flow), lane(of: item, at: time))
      event(
        Kind.begin, lane, at: time, name, category: "queue", flow: item.flow, isLastFlow: true,
        [.text("thread", names.thread(thread))])
      beganPart(item, name, on: thread, at: time)
    case .turnBegan: event(Kind.begin, track, at: time, names.turn(slice), category: "sync")
    case .waitBegan:
      let holder = names.holder(slice.number, at: time)
      event(
        Kind.begin, track, at: time, "wait for " + names.object(slice.object, at: time), category: "wait",
        holder.isEmpty ? [] : [.text("held by", holder)])
    case .parked: event(Kind.begin, track, at: time, "parked", category: "pool")
    case .intervalBegan:
      event(
        Kind.begin, track, at: time, names.note(slice.object, at: time), category: "program", [.number("id", slice.number)])
    default: beganActivity(slice, track, thread)
    }
  }

  mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {
    event(Kind.end, track(ofThread: thread), at: time)
    guard let item = slice.item else { return }
    leaveLane(.item(item.flow), at: time)
    endedPart(item, began: slice.begin, at: time)
  }

  /// The track that is taken for it; nil: none.
  func track(of user: LaneUser) -> UInt64? { laneOf[user].flatMap { lanes[$0.lane]?[$0.place].track } }

  /// Ends what the track of a queue shows; nothing if it had none.
  mutating func leaveLane(_ user: LaneUser, at time: ReadNumber, _ notes: [Note] = []) {
    guard let taken = laneOf.removeValue(forKey: user) else { return }
    lanes[taken.lane]?[taken.place].isFree = true
    event(Kind.end, lanes[taken.lane]?[taken.place].track ?? 0, at: time, nil, notes)
  }

  /// The first track of the queue on which nothing runs.
  mutating func takeLane(_ user: LaneUser, _ lane: Lane) -> UInt64 {
    var all = lanes[lane] ?? []
    let place = all.firstIndex { $0.isFree } ?? all.count
    if place == all.count {
      all.append((track(named: all.isEmpty ? lane.name : "\(lane.name) (\(place + 1))"), true))
    }
    all[place].isFree = false
    lanes[lane] = all
    laneOf[user] = (lane, place)
    return all[place].track
  }

  mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {
    count(ReadNumber(count: depth), Lane(address: queue, name: names.queue(queue, at: time)), "waiting in ", at: time)
  }

  mutating func count(_ value: ReadNumber, _ lane: Lane, _ what: String, at time: ReadNumber) {
    let track: UInt64
    if let known = counters[lane] {
      track = known
    } else {
      track = self.track(named: what + lane.name, isCounter: true)
      counters[lane] = track
    }
    packet(time) { packet in
      packet.message(Packet.event) {
        $0.integer(Event.type, Kind.counter)
        $0.integer(Event.track, track)
        $0.integer(Event.value, value.bits)
      }
    }
  }

  mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {
    event(
      Kind.instant, track(ofThread: thread), at: time, names.note(name, at: time), category: "program", [.number("id", number)])
  }

  mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {
    event(
      Kind.instant, track(ofThread: thread), at: time, "timer", category: "timer",
      [.text("of", names.timer(object, at: time))] + (late.map { [.number("late (ns)", $0)] } ?? []))
  }

  mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {
    event(
      Kind.instant, track(ofThread: thread), at: time, "events lost", category: "recorder", [.number("count", count)])
  }
}
