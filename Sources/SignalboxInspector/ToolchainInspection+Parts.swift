// ToolchainInspection+Parts.swift: what is shown of a process on the toolchain's library: its threads, queues, timers,
// descriptors, and the threads that run a global queue's items.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// Makes the parts of an inspection.
struct ToolchainParts {
  private let read: ToolchainInspection
  /// nil: no thread waits in a condition, or the process has no Foundation that is known.
  private let operations: FoundationOperations?
  private let walk: Inspection.Stacks
  private let stacks: [Int32: (addresses: [ReadNumber], gap: String?)]
  /// What threads wait for in the C library's functions.
  private let waits: [Int32: CLibraryWait]

  init(_ read: ToolchainInspection, _ walk: @escaping Inspection.Stacks) {
    (self.read, self.walk) = (read, walk)
    let walked = read.threads.compactMap { thread in walk(thread.seen.id).map { (thread.seen.id, $0) } }
    stacks = Dictionary(walked, uniquingKeysWith: { first, _ in first })
    let asleep = read.threads.filter { $0.wait == nil && !$0.isIdle && $0.call?.awaitedWord != nil }.map(\.seen.id)
    let found = self.stacks
    waits = CLibraryWait.all(of: asleep.compactMap { id in found[id].map { (id, $0.addresses) } }, in: read.process)
    operations = waits.values.contains(.condition) ? Self.operations(of: read.process) : nil
  }

  /// Foundation's, which are in a library of its own, or in the program.
  private static func operations(of process: any ReadProcess) -> FoundationOperations? {
    guard let image = process.image(named: "libFoundation.so") ?? process.images.all.first else { return nil }
    let places = ImageFunctions.places(ofSymbols: Set(FoundationOperations.symbols), in: process.file(image.path))
    if places.isEmpty { return nil }
    return FoundationOperations(.other(process.memory, description: [])) { name in
      places[name].map { (image.base + ReadNumber($0)).bits }
    }
  }

  // MARK: threads

  func thread(_ thread: ToolchainThread) -> Inspection.Thread {
    let inside = inside(thread)
    var made = Inspection.Thread(
      id: Int(thread.seen.id), name: name(thread),
      state: thread.isIdle ? "idle worker" : Inspection.word(ofState: thread.seen.state),
      isMain: thread.seen.id == read.process.id, isOwn: false,
      inside: inside.map { (ReadNumber($0.queue).hexadecimal, $0.isItem) },
      runs: inside.contains(where: \.isItem) ? ("item", [], nil) : nil, wait: wait(thread),
      call: thread.isIdle ? nil : thread.call.map { $0.name ?? "system call \($0.number)" }, stack: [], isUnread: false)
    if let found = stacks[thread.seen.id] {
      made.stack = found.addresses.map { place($0 - 1) }
      made.stackEnd = found.gap
    }
    return made
  }

  /// The library names a thread by the label of the queue that it serves, of which the kernel keeps the last 15
  /// letters.
  private func name(_ thread: ToolchainThread) -> String {
    guard let outermost = thread.places?.last(where: { $0 != 0 }).flatMap({ read.objects?.queues[$0] }),
      outermost.kind != .main,
      outermost.kind == .manager || outermost.label.hasSuffix(thread.seen.name)
    else { return thread.seen.name }
    return outermost.kind == .manager ? Self.manager : outermost.label
  }

  /// What the thread is called that monitors descriptors and timers for the library.
  static let manager = "com.apple.libdispatch-manager"

  /// The queues that it is in, the innermost first, and whether it runs an item of each, or a `sync`. An item's queue
  /// is followed by the one that it lies on, down to a global one, which is named only if the item lay there itself. A
  /// `sync` of an item on a queue that lies on the item's own leaves the same words, and is shown as an item.
  private func inside(_ thread: ToolchainThread) -> [(queue: UInt64, isItem: Bool)] {
    guard let objects = read.objects else { return [] }
    guard let places = thread.places else {
      return objects.queues.values.filter { $0.owner == thread.seen.id }.map { ($0.address, true) }.sorted { $0.0 < $1.0 }
    }
    let found = places.indices.compactMap { index -> (queue: ToolchainQueue, isItem: Bool)? in
      guard let queue = objects.queues[places[index]] else { return nil }
      switch queue.kind {
      case .manager: return nil
      case .main: return queue.owner == thread.seen.id ? (queue, true) : nil
      case .global: return (queue, true)
      default: return (queue, index + 1 < places.count && places[index + 1] == queue.target)
      }
    }
    let own = found.filter { $0.queue.kind != .global }
    return (own.isEmpty ? Array(found.prefix(1)) : own).map { ($0.queue.address, $0.isItem) }
  }

  /// The wait of a thread in a function of the C library: for an operation, if the condition is one's.
  private func unowned(_ thread: ToolchainThread) -> Inspection.Wait? {
    guard let known = waits[thread.seen.id], let call = thread.call, let word = call.awaitedWord else { return nil }
    var operation = known == .condition ? operations?.awaited(in: call).first : nil
    if !hasSlept(thread) { operation = nil }
    return Inspection.Wait(
      kind: operation == nil ? known.noun : WaitKind.operation.noun, object: ReadNumber(operation ?? UInt64(word)).hexadecimal,
      name: operation.flatMap { operations?.name(of: $0) }, isLimited: call.isTimedWait, because: WaitEnd.anyone.word,
      holders: [])
  }

  /// What is known of operations for which threads wait.
  var notes: [String] {
    let waiting = read.threads.filter { waits[$0.seen.id] == .condition }
    guard let operations else { return [] }
    return waiting.compactMap { own($0, operations) } + lines(waiting, operations)
  }

  /// Whether the thread has slept in its call since it was read. Then it kept what it waits for all the while: no other
  /// object lies there now.
  private func hasSlept(_ thread: ToolchainThread) -> Bool {
    // Where the kernel does not tell the count, nothing shows that it has not run.
    guard let switches = thread.switches else { return false }
    return read.process.call(of: thread.seen) == thread.call && read.process.switches(of: thread.seen) == switches
  }

  /// What operations wait for, from those for which threads have slept all the while: two readings find the same. Of
  /// operations that come and go, one may lie where another one did, and the words of both would make a cycle.
  private func lines(_ waiting: [ToolchainThread], _ operations: FoundationOperations) -> [String] {
    var asleep = waiting.filter { hasSlept($0) }
    while !asleep.isEmpty {
      let calls = asleep.compactMap(\.call), lines = operations.lines(calls).lines
      let isSame = lines.isEmpty || operations.lines(calls).lines == lines, still = asleep.filter { hasSlept($0) }
      if still.count == asleep.count { return isSame ? lines : [] }
      asleep = still
    }
    return []
  }

  /// Says that the thread waits for the operation that it runs: the only one that has begun of those to which its stack
  /// refers, while no other thread is in an operation.
  private func own(_ thread: ToolchainThread, _ operations: FoundationOperations) -> String? {
    guard let call = thread.call, let operation = operations.awaited(in: call).first, operations.isExecuting(operation),
      operations.begun(in: call) == [operation]
    else { return nil }
    // The stacks are walked once more: the operation may have begun on another thread since they were.
    guard threadsInOperations == [thread.seen.id], operations.isExecuting(operation), hasSlept(thread) else { return nil }
    return "thread \(thread.seen.id) waits for the end of an operation that it runs itself: \(operations.title(operation))"
  }

  /// The threads that run operations of Foundation's, by their stacks now; nil: the stack of one is not known.
  private var threadsInOperations: Set<Int32>? {
    guard let image = read.process.image(named: "libFoundation.so") ?? read.process.images.all.first else { return nil }
    var places: [(id: Int32, offset: UInt64)] = []
    for thread in read.threads {
      guard let stack = walk(thread.seen.id), stack.gap == nil else { return nil }
      for address in stack.addresses where image.ranges.contains(where: { $0.contains(address) }) {
        places.append((thread.seen.id, (address - 1 - image.base).bits))
      }
    }
    let functions = ImageFunctions.at(places.map(\.offset), in: read.process.file(image.path))
    return Set(zip(places, functions).filter { $1?.name == Self.start }.map(\.0.id))
  }

  /// `Operation.start()`.
  private static let start = "$s10Foundation9OperationC5startyyF"

  private func wait(_ thread: ToolchainThread) -> Inspection.Wait? {
    guard let wait = thread.wait else { return unowned(thread) }
    var because = thread.end.word
    let (kind, object): (String, String) =
      switch wait {
      case .turn(let queue): (WaitKind.sync.noun, ReadNumber(queue).hexadecimal)
      case .group(let group): (WaitKind.group.noun, ReadNumber(group).hexadecimal)
      case .semaphore(let semaphore): (WaitKind.semaphore.noun, ReadNumber(semaphore).hexadecimal)
      case .mutex(let mutex): (noun(of: mutex), ReadNumber(UInt64(mutex.address)).hexadecimal)
      case .end(let other): ("end of thread", "\(other)")
      }
    if case .end = wait { because = Inspection.Wait.goesOn }
    return Inspection.Wait(
      kind: kind, object: object, isLimited: thread.isTimed, because: because, holders: thread.end.threads.map { Int($0) })
  }

  /// A word that the kernel keeps for a lock with priority inheritance is of a `Mutex`, or of what is made once. The
  /// latter has a token, which is a variable of an image and has a symbol, unless that was stripped.
  private func noun(of mutex: ForeignMutex) -> String {
    guard mutex.kind == .priorityInheriting else { return WaitKind.foreignMutex.noun }
    let address = ReadNumber(UInt64(mutex.address))
    for image in read.process.images.all where image.base <= address {
      let file = read.process.file(image.path), offset = address - image.base
      guard let extent = ImageFunctions.extent(of: file), offset < extent else { continue }
      return ImageFunctions.variable(at: offset.bits, in: file).map { $0.hasSuffix("Wz") ? WaitKind.once.noun : "Mutex" }
        ?? "Mutex or once"
    }
    return "Mutex"
  }

  // MARK: queues

  var queues: [Inspection.Queue] {
    guard let objects = read.objects else { return [] }
    let next = objects.next
    return objects.queues.values.sorted { $0.address < $1.address }.map { queue in
      Inspection.Queue(
        address: ReadNumber(queue.address).hexadecimal, label: queue.label, kind: queue.kind.noun, qos: "unspecified",
        pending: queue.pending ?? 0, isCounted: queue.pending != nil, done: 0, knowsDone: false,
        owner: queue.owner.map { Int($0) }, running: queue.running, limit: 0, suspended: queue.state.suspended,
        isInactive: queue.state.isInactive, target: queue.kind == .global ? nil : ReadNumber(queue.target).hexadecimal,
        urgent: nil, next: (next[queue.address] ?? []).map { ($0.kind, places($0)) })
    }
  }

  /// The threads that run items of each global queue, and of what lies on it. Threads without an item are not among
  /// them, and there is no limit that is known.
  var pools: [Inspection.Pool] {
    guard let objects = read.objects else { return [] }
    var workers: [UInt64: [Int: String]] = [:]
    for thread in read.threads {
      guard let root = thread.places?.last(where: { $0 != 0 }), objects.queues[root]?.kind == .global else { continue }
      let waits = thread.wait != nil || waits[thread.seen.id] != nil
      workers[root, default: [:]][Int(thread.seen.id)] =
        waits ? "waits" : thread.seen.state == "R" ? "runs" : "sleeps in an item"
    }
    return workers.sorted { $0.key < $1.key }.map { root, workers in
      Inspection.Pool(
        name: objects.queues[root]?.label ?? "", threads: workers.count, running: workers.values.filter { $0 == "runs" }.count,
        idle: 0, limit: 0, workers: workers)
    }
  }

  // MARK: sources

  /// More timers are not shown.
  private static let mostTimers = 1_000

  /// Without those that the library has for itself, on its manager's queue.
  func armed(_ sources: [ToolchainSource]) -> [ToolchainSource] {
    sources.filter { $0.due != nil && !$0.isSuspended && read.objects?.queues[$0.target]?.kind != .manager }
  }

  func timers(_ sources: [ToolchainSource]) -> [Inspection.Timer] {
    let times = read.process.times
    return armed(sources).map { source in
      let handler = read.objects?.handler(of: source)
      return Inspection.Timer(
        kind: source.kind.noun, due: source.seconds(at: times), queue: ReadNumber(source.target).hexadecimal,
        function: handler.map { places($0) } ?? [], job: handler?.job ?? 0)
    }.sorted { ($0.due ?? .infinity, $0.queue) < ($1.due ?? .infinity, $1.queue) }.prefix(Self.mostTimers).map { $0 }
  }

  func descriptors(_ sources: [ToolchainSource]) -> [Inspection.Descriptor] {
    sources.filter { ($0.kind == .read || $0.kind == .write) && !$0.isSuspended }.map { source in
      Inspection.Descriptor(
        number: Int(source.subject), direction: source.kind == .read ? "readable" : "writable",
        label: read.objects?.queues[source.target]?.label ?? "")
    }.sorted { ($0.number, $0.direction) < ($1.number, $1.direction) }
  }

  // MARK: places

  private func places(_ item: RunningItem) -> [Inspection.Place] { item.places.map { place(ReadNumber(UInt64($0))) } }

  private func place(_ address: ReadNumber) -> Inspection.Place { Inspection.place(address, in: read.process.images) }
}

extension ToolchainQueue {
  /// Whether an item of it runs.
  var isBusy: Bool { owner != nil || running > 0 }

  /// The thread that runs an item of it alone. The main queue names its thread at all times.
  fileprivate var owner: Int32? {
    switch kind {
    case .global, .manager: nil
    case .main: state.isAlone ? state.owner : nil
    default: state.owner
    }
  }

  fileprivate var running: Int { kind == .concurrent && owner == nil ? state.running(width: width) : 0 }
}
