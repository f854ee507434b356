// TimelineNames.swift: what a recording's addresses are called: queues, objects, threads, functions.
import SignalboxLaunch
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

/// Names for a recording, found once.
struct TimelineNames {
  private let recording: RecordingFile
  private var functions: [ReadNumber: SymbolAnswer] = [:]
  private var chains: [ReadNumber: AwaitChain] = [:]
  /// Threads by owner value; a value may have had several, one after the other.
  private var owners: [ReadNumber: [Int]] = [:]

  /// Asks for the functions that the recording names; files that are not there any more give none.
  init(_ recording: RecordingFile) {
    self.recording = recording
    for (place, thread) in recording.threads.enumerated() { owners[thread.owner, default: []].append(place) }
    var wanted: Set<ReadNumber> = []
    for thread in recording.threads {
      for event in thread.events where Self.hasFunction(event.kind) {
        if event.c != 0, recording.names[event.c] == nil { wanted.insert(event.c) }
      }
    }
    let chained = recording.chains.map { ($0.key, AwaitChain.addresses($0.value)) }
    for (_, chain) in chained { wanted.formUnion(chain) }
    let addresses = wanted.sorted()
    let questions = addresses.map { address in
      recording.place(address).flatMap { SymbolQuestion(line: "\($0.path) \($0.offset.hexadecimal)") }
    }
    let symbols = Symbolication()
    var number = 0
    symbols.answer(questions) { answer in
      functions[addresses[number]] = answer
      number += 1
    }
    // What hands a closure its captures has no line of its own: the closure's is asked for.
    let bare = addresses.indices.compactMap { place -> (address: ReadNumber, image: String, name: String)? in
      guard let frames = functions[addresses[place]]?.frames, let name = frames.last?.name,
        frames.allSatisfy({ $0.file == nil }),
        let closure = Self.closure(name), let image = questions[place]?.image
      else { return nil }
      return (addresses[place], image, closure)
    }
    symbols.answer(functions: bare.map { ($0.image, $0.name) }) { functions[bare[$0].address] = $1 }
    for (number, chain) in chained { chains[number] = AwaitChain(chain, recording, self) }
  }

  /// Whether c is a function's address; of operations it may be a class, which has a name.
  private static func hasFunction(_ kind: EventKind) -> Bool {
    switch kind {
    case .submitted, .started, .sourceBegan, .operationAdded, .operationBegan: true
    default: false
    }
  }

  /// What an item is called: by its function, else by what that calls if the compiler made it; and where that is. A
  /// task's by its chain of awaits.
  func item(_ item: TimelineItem) -> (name: String, place: String?) {
    if let task = item.task, let known = part(task) { return known }
    return function(item.outer) ?? function(item.inner) ?? (item.isBarrier ? "barrier" : "item", nil)
  }

  /// What a part of a task is called, or what an actor's tasks are together; nil: no function of it is known.
  private func part(_ task: TimelineTask) -> (name: String, place: String?)? {
    if task.number == 0 { return ("tasks of \(actor(task))", nil) }
    let chain = chain(task)
    return chain.name.map { ($0, chain.functions.first?.place) }
  }

  /// What an actor is called: by its class.
  func actor(_ task: TimelineTask) -> String { "actor \(recording.name(task.label, at: .max)?.text ?? "")" }

  /// The functions by which the task goes on; none of an actor.
  func chain(_ task: TimelineTask) -> AwaitChain { chains[task.label] ?? AwaitChain() }

  /// The function's name as the compiler wrote it.
  func symbol(_ address: ReadNumber) -> String? { functions[address]?.frames.last?.name }

  /// A function's name, and where it is; nil for what has none but the compiler's.
  func function(_ address: ReadNumber) -> (name: String, place: String?)? {
    guard let frames = functions[address]?.frames, let own = frames.last, !Self.isThunk(own.name) else { return nil }
    // Of a closure and what hands it its captures, which may be one function, the closure has a line.
    let place = frames.last { $0.file != nil }
    return (SymbolNames.short(own.name), place?.file.map { "\($0):\(place?.line ?? 0)" })
  }

  /// What an operation is called: by its name, else by its class or its block's function.
  func operation(_ name: TimelineOperation.Name) -> (name: String, place: String?) {
    if name.isNamed, let own = recording.name(name.address, at: name.time) { return (Self.withoutAddress(own.text), nil) }
    if let type = recording.name(name.label, at: name.time) { return (type.text, nil) }
    return function(name.label) ?? ("operation", nil)
  }

  /// As messages name it, but for the class and address behind it: another of the same name is the same to a reader.
  private static func withoutAddress(_ title: String) -> String {
    guard title.hasSuffix(")"), let open = title.lastIndex(of: "("), open > title.startIndex else { return title }
    return String(title[..<title.index(before: open)])
  }

  /// A read or write, without what is only its own.
  func transfer(_ transfer: TimelineTransfer) -> String {
    (transfer.isWrite ? "write to " : "read from ")
      + (transfer.descriptor < 0 ? "a path" : "descriptor \(transfer.descriptor)")
  }

  /// A slice of a run loop, a source or a once.
  func activity(_ slice: TimelineSlice) -> String {
    switch slice.kind {
    case .loopBegan: "\(object(slice.object, at: slice.begin)), mode \(note(slice.number, at: slice.begin))"
    case .loopPhase: slice.phase.map { Self.phases[$0] ?? "" } ?? "phase"
    default: object(slice.object, at: slice.begin)
    }
  }
  /// What a loop's phases are called.
  static let phases: [LoopPhase: String] = [
    .timers: "timers", .sources: "blocks and sources", .waiting: "waits", .woken: "what woke it",
  ]

  /// What happened at a moment, in words.
  func moment(_ moment: TimelineMoment, at time: ReadNumber) -> String {
    if moment.kind == .reported { return "report \(moment.count): \(report(moment.object))" }
    let what = moment.operation.map { operation($0.name).name } ?? object(moment.object, at: time)
    switch moment.kind {
    case .timerArmed: return Replay.isTimer(moment.object) ? "arm \(what)" : "arm a timer for an item of \(what)"
    case .timerCancelled: return "cancel \(what)"
    case .semaphoreSignalled: return "signal \(what)"
    case .groupEntered: return "enter \(what)"
    case .groupLeft: return "leave \(what)"
    case .workItemCancelled: return "cancel \(what)"
    case .turnHanded: return "hand over \(what)"
    case .operationAdded: return "add \(what)"
    case .operationReady: return "ready: \(what)"
    case .operationCancelled: return "cancel \(what)"
    default: return "finished: \(what)"
    }
  }

  /// What was reported, in words.
  func report(_ kind: ReadNumber) -> String {
    switch RecordedReport(rawValue: kind.bits) {
    case .deadlock: "a deadlock"
    case .stall: "waits that nothing ends"
    case .lockOrder: "locks in two orders"
    case .longItem: "a long item of the main queue"
    case .misuse: "misuse"
    case nil: "something"
    }
  }

  /// What a turn of a queue is called.
  func turn(_ slice: TimelineSlice) -> String {
    let name = queue(slice.object, at: slice.begin)
    return slice.isAlone && !isSerial(slice.object, at: slice.begin) ? "barrier sync on \(name)" : "sync on \(name)"
  }

  /// What a timer is called: by its own name, else by the queue of its item.
  func timer(_ address: ReadNumber, at time: ReadNumber) -> String {
    Replay.isTimer(address) ? object(address, at: time) : queue(address, at: time)
  }

  /// What ended a wait, in words.
  func waker(_ waker: TimelineWaker) -> String {
    let name = waker.item.map { "\(item($0).name) on " } ?? ""
    return name + thread(waker.thread)
  }

  /// Whether the name is only the compiler's: that of a closure with what it captures is the closure's own.
  private static func isThunk(_ name: String) -> Bool {
    SymbolNames.isThunk(name) && closure(name).map(SymbolNames.isThunk) ?? true
  }

  /// The closure to which the function of that name hands what it captures; nil if it is no such function.
  private static func closure(_ name: String) -> String? { name.hasSuffix("TA") ? String(name.dropLast(2)) : nil }

  /// The label of the queue, or what it is.
  func queue(_ address: ReadNumber, at time: ReadNumber) -> String {
    guard let name = recording.name(address, at: time), name.kind == .queue else { return object(address, at: time) }
    return name.text.isEmpty ? "queue \(address.hexadecimal)" : name.text
  }

  /// Whether one item at most of the queue runs at a time.
  func isSerial(_ address: ReadNumber, at time: ReadNumber) -> Bool {
    guard let name = recording.name(address, at: time), name.kind == .queue else { return false }
    let kind = name.extra.bits & RecordLayout.queueKindMask
    return kind != 1 && kind != 2
  }

  /// Whether one thread alone runs the queue's items: the main thread, or that of a run loop.
  func isThreadBound(_ address: ReadNumber, at time: ReadNumber) -> Bool {
    guard let name = recording.name(address, at: time), name.kind == .queue else { return false }
    return name.extra.bits & RecordLayout.queueKindMask > 2
  }

  /// The class of service by which the item is served: its queue's, and its own where the queue has none but the
  /// default. `none`: the recording does not say.
  func servedClass(_ item: TimelineItem, at time: ReadNumber) -> RecordedClass {
    guard let name = recording.name(item.queue, at: time), name.kind == .queue, let queue = RecordedClass(name.extra >> 8)
    else {
      return item.serviceClass
    }
    return item.serviceClass != .none && (queue == .none || queue == .standard) ? item.serviceClass : queue
  }

  /// What the workers of a pool are called, by its number.
  static func pool(_ number: ReadNumber) -> String { ["default", "utility", "background"][at: number] ?? "pool \(number)" }

  /// Kind and name of what was waited for.
  func object(_ address: ReadNumber, at time: ReadNumber) -> String {
    guard let name = recording.name(address, at: time) else { return "\(address.hexadecimal)" }
    return name.kind == .queue ? "queue \"\(name.text)\"" : name.text
  }

  /// A mark's or interval's name.
  func note(_ address: ReadNumber, at time: ReadNumber) -> String { recording.name(address, at: time)?.text ?? "note" }

  /// The thread that had the owner value at the time; nil if the value is no thread's, and for one that wrote nothing.
  func thread(owner: ReadNumber, at time: ReadNumber) -> Int? {
    guard owner != 0, let all = owners[owner] else { return nil }
    return all.last { recording.threads[$0].events.first.map { $0.time <= time } ?? false } ?? all.first
  }

  /// What people call a thread.
  func thread(_ place: Int) -> String { "\(recording.threads[place].name) \(recording.threads[place].id)" }

  /// The holder of something, in words; empty if none is known.
  func holder(_ owner: ReadNumber, at time: ReadNumber) -> String {
    if owner == 0 { return "" }
    return thread(owner: owner, at: time).map { thread($0) } ?? "another thread"
  }
}
