// TimelineNames.swift: what a recording's addresses are called: queues, objects, threads, functions.
import SignalboxLaunch
import SignalboxRecorder
import SignalboxSystem

/// Names for a recording, found once.
struct TimelineNames {
  private let recording: RecordingFile
  private var functions: [UInt64: SymbolAnswer] = [:]
  /// Threads by owner value; a value may have had several, one after the other.
  private var owners: [UInt64: [Int]] = [:]

  /// Asks for the functions that the recording names; files that are not there any more give none.
  init(_ recording: RecordingFile) {
    self.recording = recording
    for (place, thread) in recording.threads.enumerated() { owners[thread.owner, default: []].append(place) }
    var wanted: Set<UInt64> = []
    for thread in recording.threads {
      for event in thread.events where event.kind == .submitted || event.kind == .started {
        if event.c != 0 { wanted.insert(event.c) }
      }
    }
    let addresses = wanted.sorted()
    let questions = addresses.map { address in
      recording.place(address).flatMap { SymbolQuestion(line: "\($0.path) 0x\(String($0.offset, radix: 16))") }
    }
    let symbols = Symbolication()
    var number = 0
    symbols.answer(questions) { answer in
      functions[addresses[number]] = answer
      number += 1
    }
    // What hands a closure its captures has no line of its own: the closure's is asked for.
    let bare = addresses.indices.compactMap { place -> (address: UInt64, image: String, name: String)? in
      guard let frames = functions[addresses[place]]?.frames, let name = frames.last?.name,
        frames.allSatisfy({ $0.file == nil }),
        let closure = Self.closure(name), let image = questions[place]?.image
      else { return nil }
      return (addresses[place], image, closure)
    }
    symbols.answer(functions: bare.map { ($0.image, $0.name) }) { functions[bare[$0].address] = $1 }
  }

  /// What an item is called: by its function, else by what that calls if the compiler made it; and where that is.
  func item(_ item: TimelineItem) -> (name: String, place: String?) {
    for frames in [item.outer, item.inner].lazy.compactMap({ functions[$0]?.frames }) {
      guard let own = frames.last, !Self.isThunk(own.name) else { continue }
      // Of a closure and what hands it its captures, which may be one function, the closure has a line.
      let place = frames.last { $0.file != nil }
      return (SymbolNames.short(own.name), place?.file.map { "\($0):\(place?.line ?? 0)" })
    }
    return (item.isBarrier ? "barrier" : "item", nil)
  }

  /// Whether the name is only the compiler's: that of a closure with what it captures is the closure's own.
  private static func isThunk(_ name: String) -> Bool {
    SymbolNames.isThunk(name) && closure(name).map(SymbolNames.isThunk) ?? true
  }

  /// The closure to which the function of that name hands what it captures; nil if it is no such function.
  private static func closure(_ name: String) -> String? { name.hasSuffix("TA") ? String(name.dropLast(2)) : nil }

  /// The label of the queue, or what it is.
  func queue(_ address: UInt64, at time: UInt64) -> String {
    guard let name = recording.name(address, at: time), name.kind == .queue else { return object(address, at: time) }
    return name.text.isEmpty ? "queue 0x\(String(address, radix: 16))" : name.text
  }

  /// Whether one item at most of the queue runs at a time.
  func isSerial(_ address: UInt64, at time: UInt64) -> Bool {
    guard let name = recording.name(address, at: time), name.kind == .queue else { return false }
    let kind = name.extra & RecordLayout.queueKindMask
    return kind != 1 && kind != 2
  }

  /// The class of service by which the item is served, from 1 for background on: its queue's, and its own where the queue has none
  /// but the default. 0: the recording does not say.
  func servedClass(_ item: TimelineItem, at time: UInt64) -> Int {
    guard let name = recording.name(item.queue, at: time), name.kind == .queue else { return item.serviceClass }
    let queue = Int(name.extra / (RecordLayout.queueKindMask + 1))
    return item.serviceClass != 0 && (queue == 0 || queue == Self.defaultClass) ? item.serviceClass : queue
  }

  private static let defaultClass = 3
  /// What a class is called, by its number.
  static let classes = ["-", "background", "utility", "default", "user-initiated", "user-interactive"]

  /// Kind and name of what was waited for.
  func object(_ address: UInt64, at time: UInt64) -> String {
    guard let name = recording.name(address, at: time) else { return "0x\(String(address, radix: 16))" }
    return name.kind == .queue ? "queue \"\(name.text)\"" : name.text
  }

  /// A mark's or interval's name.
  func note(_ address: UInt64, at time: UInt64) -> String { recording.name(address, at: time)?.text ?? "note" }

  /// The thread that had the owner value at the time; nil for nobody, and for one that wrote nothing.
  func thread(owner: UInt64, at time: UInt64) -> Int? {
    guard owner != 0, let all = owners[owner] else { return nil }
    return all.last { recording.threads[$0].events.first.map { $0.time <= time } ?? false } ?? all.first
  }

  /// What people call a thread.
  func thread(_ place: Int) -> String { "\(recording.threads[place].name) \(recording.threads[place].id)" }

  /// Who holds something, in words; empty if nobody is known to.
  func holder(_ owner: UInt64, at time: UInt64) -> String {
    if owner == 0 { return "" }
    return thread(owner: owner, at: time).map { thread($0) } ?? "another thread"
  }
}
