// Inspection.swift: one inspection of a process, as its answer has it: values. Who asks is InspectedProcess.swift; the fields are described in
// SignalboxDiagnosis/Inspection/README.md.
import SignalboxCommandLine
import SignalboxSystem

/// What one copy of Signalbox in a process knows at one moment.
public struct Inspection: Sendable {
  /// One thread.
  package struct Thread: Sendable {
    var id: Int
    var name: String
    /// In words: `runs`, `sleeps`.
    var state: String
    var isMain: Bool
    /// It belongs to the diagnosis, and does nothing for the program.
    var isOwn: Bool
    /// What it is inside of, the innermost first: addresses of queues, and whether it runs an item of it rather than a `sync`.
    var inside: [(queue: String, isItem: Bool)]
    /// The kind of the item that it runs, what may be its function, and for how long it has run at least; nil: not for a second, or not known.
    var runs: (kind: String, function: [Place], seconds: Double?)?
    var wait: Wait?
    /// The system call that it sleeps in.
    var call: String?
    var stack: [Place]
    /// Why the stack is missing, or ends early.
    var stackEnd: String?
    var isUnread: Bool
  }

  /// What a thread waits for.
  struct Wait: Sendable {
    var kind: String
    var object: String
    var name: String?
    /// How long it has lasted; nil for a mutex of the C library.
    var seconds: Double?
    var isLimited: Bool
    /// Why it lasts: `held`, `inside`, `main thread`, `pool`, `stopped`, `anyone`, `nobody`, `over`.
    var because: String
    /// The threads that keep it.
    var holders: [Int]
  }

  /// A place in an image.
  struct Place: Sendable, Hashable {
    /// The image's file; nil: the place lies in none.
    var image: String?
    var offset: ReadNumber
  }

  /// One queue.
  struct Queue: Sendable {
    var address: String
    var label: String
    var kind: String
    var qos: String
    /// 0 where that is not known: `isCounted`.
    var pending: Int
    var isCounted: Bool
    /// 0 where that is not known: `knowsDone`.
    var done: Int
    var knowsDone: Bool
    var owner: Int?
    var running: Int
    var limit: Int
    var suspended: Int
    var isInactive: Bool
    var target: String?
    /// The class of its most urgent item, and how many less urgent ones lie before that.
    var urgent: (qos: String, behind: Int)?
    /// The first items that lie in it, by kind and what may be the function.
    var next: [(kind: String, function: [Place])]
    var p50: Double?
    var p95: Double?
    /// For how long its oldest item has waited at least; nil: not known.
    var oldest: Double?
  }

  /// Threads of the pool for some classes.
  struct Pool: Sendable {
    var name: String
    var threads: Int
    var running: Int
    var idle: Int
    var limit: Int
    /// What each worker does, by the thread's number.
    var workers: [Int: String]
  }

  /// An armed timer.
  struct Timer: Sendable {
    var kind: String
    /// Seconds until it is due; below 0: it is late; nil: not known.
    var due: Double?
    /// The queue to which it submits.
    var queue: String
    var function: [Place]
  }

  /// A descriptor that is monitored in one direction.
  struct Descriptor: Sendable {
    var number: Int
    /// `readable`, `writable`.
    var direction: String
    var label: String
  }

  /// Threads each of which waits for the next, the last for the first.
  struct Cycle: Sendable {
    var isCertain: Bool
    var threads: [Int]
  }

  /// Every place that is to be called by its function.
  var places: [Place] {
    var all = armed.flatMap(\.function)
    for thread in threads { all += (thread.runs?.function ?? []) + thread.stack }
    for queue in queues { for item in queue.next { all += item.function } }
    return all
  }

  /// The file of the program or library in which the copy lies.
  var copy: String
  package var threads: [Thread]
  var queues: [Queue]
  var pools: [Pool]
  var timers: Int?
  /// The soonest of them.
  var armed: [Timer]
  var monitored: [Descriptor]
  /// How many signals, processes and files are monitored besides.
  var events: Int?
  var cycles: [Cycle]
  var unread: [String]
  /// How it was made: empty if the process has answered itself, `memory` or `core` if it was read.
  var source: String
  /// Whether it was read: then less is known.
  var isRead: Bool { !source.isEmpty }
  /// How many pieces are missing: of the answer those that make no sense; of a core those whose memory does not.
  var lost: Int
  /// The answer itself.
  package let json: JSON
}

extension Inspection {
  /// nil: the answer has another form.
  package init?(_ json: JSON) {
    guard json["version"].integer == 1, json["process"].integer != nil else { return nil }
    var pieces = AnswerPieces()
    let images = json["images"].values.map { $0.string ?? "" }
    copy = json["copy"].string ?? ""
    threads = pieces.all(json["threads"]) { Thread($0, images, &$1) }
    queues = pieces.all(json["queues"]) { Queue($0, images, &$1) }
    pools = pieces.all(json["pools"]) { Pool($0, &$1) }
    (timers, events) = (pieces.count(json["timers"]), pieces.count(json["events"]))
    armed = pieces.all(json["armed"]) { Timer($0, images, &$1) }
    monitored = pieces.all(json["monitored"]) { Descriptor($0, &$1) }
    cycles = pieces.all(json["circles"]) {
      Cycle(isCertain: $0["certainty"].string == "certain", threads: $1.all($0["threads"]) { $1.id($0) })
    }
    unread = json["unread"].values.compactMap(\.string)
    source = json["source"].string ?? ""
    let said = pieces.count(json["lost"]) ?? 0
    lost = said + pieces.lost
    if pieces.lost > 0 { unread.append("\(pieces.lost) pieces of the answer, which make no sense") }
    self.json = json
  }
}

extension Inspection.Thread {
  fileprivate init?(_ json: JSON, _ images: [String], _ pieces: inout AnswerPieces) {
    guard let id = pieces.id(json["thread"]) else { return nil }
    self.id = id
    (name, state) = (json["name"].string ?? "", json["state"].string ?? "")
    (isMain, isOwn) = (json["main"].boolean == true, json["own"].boolean == true)
    inside = json["inside"].values.map { ($0["queue"].string ?? "", $0["as"].string == "item") }
    if let kind = json["runs"]["kind"].string {
      runs = (kind, pieces.places(json["runs"]["function"], images), pieces.seconds(json["runs"]["seconds"]))
    }
    wait = Inspection.Wait(json["waits"], &pieces)
    call = json["call"].string
    stack = pieces.places(json["stack"], images)
    stackEnd = json["stackEnds"].string
    isUnread = json["unread"].boolean == true
  }
}

extension AnswerPieces {
  fileprivate mutating func places(_ json: JSON, _ images: [String]) -> [Inspection.Place] {
    all(json) { json, _ in json.string.flatMap { Inspection.Place($0, images) } }
  }
}

extension Inspection.Wait {
  fileprivate init?(_ json: JSON, _ pieces: inout AnswerPieces) {
    guard let kind = json["kind"].string else { return nil }
    self.kind = kind
    (object, name, seconds) = (json["object"].string ?? "", json["name"].string, pieces.seconds(json["seconds"]))
    (isLimited, because) = (json["limited"].boolean == true, json["because"].string ?? "")
    holders = pieces.all(json["for"]) { $1.id($0) }
  }
}

extension Inspection.Place {
  /// `image's number+0xdistance`, or an address.
  init?(_ text: String, _ images: [String]) {
    let parts = text.split(separator: "+")
    guard parts.count == 2, let number = Int(parts[0]), images.indices.contains(number), parts[1].hasPrefix("0x"),
      let offset = UInt64(parts[1].dropFirst(2), radix: 16)
    else {
      guard text.hasPrefix("0x"), let address = UInt64(text.dropFirst(2), radix: 16) else { return nil }
      (image, self.offset) = (nil, ReadNumber(address))
      return
    }
    (image, self.offset) = (images[number], ReadNumber(offset))
  }
}

extension Inspection.Timer {
  fileprivate init?(_ json: JSON, _ images: [String], _ pieces: inout AnswerPieces) {
    let before = pieces.lost, due = pieces.seconds(json["due"])
    guard let kind = json["kind"].string, pieces.lost == before else { return nil }
    (self.kind, self.due, queue) = (kind, due, json["queue"].string ?? "")
    function = pieces.places(json["function"], images)
  }
}

extension Inspection.Descriptor {
  fileprivate init?(_ json: JSON, _ pieces: inout AnswerPieces) {
    guard let number = pieces.id(json["descriptor"]) else { return nil }
    (self.number, direction, label) = (number, json["for"].string ?? "", json["label"].string ?? "")
  }
}

extension Inspection.Queue {
  fileprivate init?(_ json: JSON, _ images: [String], _ pieces: inout AnswerPieces) {
    guard let address = json["queue"].string else { return nil }
    self.address = address
    (label, kind, qos) = (json["label"].string ?? "", json["kind"].string ?? "", json["class"].string ?? "")
    let pending = pieces.count(json["pending"]), done = pieces.count(json["done"])
    (self.pending, self.done, owner) = (pending ?? 0, done ?? 0, pieces.id(json["owner"]))
    (isCounted, knowsDone) = (pending != nil, done != nil)
    (running, limit) = (pieces.count(json["running"]) ?? 0, pieces.count(json["limit"]) ?? 0)
    (suspended, isInactive) = (pieces.count(json["suspended"]) ?? 0, json["inactive"].boolean == true)
    (target, p50, p95) = (json["target"].string, pieces.seconds(json["p50"]), pieces.seconds(json["p95"]))
    oldest = pieces.seconds(json["oldest"])
    next = pieces.all(json["next"]) { item, pieces in
      item["kind"].string.map { ($0, pieces.places(item["function"], images)) }
    }
    urgent = json["urgent"]["class"].string.map { ($0, pieces.count(json["urgent"]["behind"]) ?? 0) }
  }

  /// What people call it.
  var title: String { (kind.isEmpty ? "queue " : "\(kind) queue ") + (label.isEmpty ? address : "\"\(label)\"") }
}

extension Inspection.Pool {
  fileprivate init?(_ json: JSON, _ pieces: inout AnswerPieces) {
    guard let name = json["name"].string else { return nil }
    self.name = name
    (threads, running) = (pieces.count(json["threads"]) ?? 0, pieces.count(json["running"]) ?? 0)
    (idle, limit) = (pieces.count(json["idle"]) ?? 0, pieces.count(json["limit"]) ?? 0)
    let states = pieces.all(json["workers"]) { worker, pieces in
      pieces.id(worker["thread"]).map { ($0, worker["state"].string ?? "") }
    }
    workers = Dictionary(states, uniquingKeysWith: { $1 })
  }
}
