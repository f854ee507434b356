// IODescriptor.swift: one descriptor under the control of channels: what it is, the order of operations and barriers on
// it, its end. One object stands for a number, whatever the channels; a path has one for each channel.
import SignalboxLocks
import SignalboxSystem

final class IODescriptor: @unchecked Sendable {
  // SAFETY of @unchecked: `line`, `lanes` and the two streams are guarded by `lock`; `users`, `cleanups` and `blocksAgain` by the
  // table's; `kind` and `error` are written under `opening` before anybody who needs them has come through `opened()`.

  let path: IOPath?
  /// Of a path: whether the file must have positions.
  private let isRandom: Bool
  private let opening = UnfairLock()
  /// -1 until opened, and once closed.
  private let word: Atomic32
  private(set) var kind: DescriptorKind
  private var error: Int32 = 0
  private var isOpen: Bool

  private let lock = UnfairLock()
  // Unchecked: the lock excludes what the exclusivity check detects.
  @exclusivity(unchecked) private var line = IOLine()
  @exclusivity(unchecked) private var reads: IOLane?
  @exclusivity(unchecked) private var writes: IOLane?
  /// Of operations at offsets: they are nobody else's while they pause.
  @exclusivity(unchecked) private var lanes: [ObjectIdentifier: IOLane] = [:]

  /// Channels that have not left.
  var users = 0
  /// What they want done at the end.
  var cleanups: [@Sendable () -> Void] = []
  /// Whether O_NONBLOCK is ours to take back.
  var blocksAgain = false

  /// A descriptor that somebody has opened.
  init(number: Int32, kind: DescriptorKind, status: DescriptorStatus? = nil) {
    path = nil
    self.status = status
    isRandom = false
    word = Atomic32(UInt32(bitPattern: number))
    self.kind = kind
    isOpen = true
  }

  /// A file to be opened when it is first needed.
  init(_ path: IOPath, isRandom: Bool) {
    self.path = path
    status = nil
    self.isRandom = isRandom
    word = Atomic32(UInt32(bitPattern: -1))
    kind = .file
    isOpen = false
    users = 1
  }

  /// Whether the number is not ours any more: its owner has closed it, and it may be another file's.
  var isGone: Bool {
    get { goneWord.loadAcquire() != 0 }  // acquire: pairs with the store below
    set { goneWord.storeRelease(newValue ? 1 : 0) }  // release: pairs with the load above
  }
  private let goneWord = Atomic32(0)
  /// Of a given descriptor: which file it was when the first channel came.
  private let status: DescriptorStatus?

  /// Whether the number still means the same file, as far as the system tells.
  func isSame(as now: DescriptorStatus?) -> Bool {
    guard let status, let now else { return false }
    return now.isSameFile(as: status)
  }

  /// The number has turned out to be another file's: what waits ends with an error.
  func wasClosed() {
    isGone = true
    kick()
  }

  /// The descriptor; -1 while there is none.
  var number: Int32 { Int32(bitPattern: word.loadAcquire()) }  // acquire: pairs with N1

  // MARK: opening

  /// Opens the file if nobody has; what it is, or the error. May wait as long as open(2) may: never on the event thread.
  func opened() -> (kind: DescriptorKind, error: Int32) {
    opening.withLock {
      if !isOpen, let path {
        isOpen = true
        do throws(SystemError) { try open(path) } catch { self.error = error.code }
      }
      return (kind, error)
    }
  }

  private func open(_ path: IOPath) throws(SystemError) {
    let number = try Descriptors.open(path.name, flags: path.flags, mode: path.mode)
    do throws(SystemError) {
      kind = try Descriptors.kind(of: number)
      if kind == .folder { throw SystemError(call: "open", code: ErrorNumber.isFolder) }
      if isRandom { _ = try Descriptors.position(of: number) }
    } catch {
      Descriptors.close(number)
      throw error
    }
    if kind == .stream || kind == .socket { _ = Descriptors.stopBlocking(number) }
    // release N1: whoever reads the number may use it; pairs with the load in `number`.
    word.storeRelease(UInt32(bitPattern: number))
  }

  // MARK: the order of operations and barriers
  //
  // Who may start and its place in its lane are decided in one step, under the lock: else what barriers have held back could be
  // overtaken, on its way to the lane, by what is scheduled meanwhile.

  /// Starts it, or keeps it until the operations before it have ended.
  func addBarrier(_ channel: IOChannel, _ body: @escaping () -> Void) {
    start(lock.withLock { startAssumingLocked(line.added(.barrier(channel, body))) })
  }

  /// Starts it, or keeps it until the barriers before it have run. What can be done at once may be done by the calling thread.
  func add(_ operation: IOOperation) {
    let idle = lock.withLock { () -> IOLane? in
      guard line.startsOperation(operation) else { return nil }
      return enterAssumingLocked(operation)
    }
    idle?.begin(operation, startsHere: operation.startsAtOnce)
  }

  /// Whether reading and writing it are sure not to wait.
  var isOpenSocket: Bool { path == nil && kind == .socket }

  /// An operation that was started will move no more bytes.
  func operationEnded(_ lane: IOLane) {
    start(
      lock.withLock {
        lanes[ObjectIdentifier(lane)] = nil
        return startAssumingLocked(line.operationEnded())
      })
  }

  /// What is to be done outside of the lock for one that has started.
  private enum Start {
    /// The first of an idle lane.
    case operation(IOOperation, IOLane)
    case barrier(IOChannel, () -> Void)
  }

  private func startAssumingLocked(_ entries: [IOLine.Entry]) -> [Start] {
    entries.compactMap { entry -> Start? in
      switch entry {
      case .operation(let operation): enterAssumingLocked(operation).map { .operation(operation, $0) }
      case .barrier(let channel, let body): .barrier(channel, body)
      }
    }
  }

  private func start(_ starts: [Start]) {
    for start in starts {
      switch start {
      case .operation(let operation, let lane): lane.begin(operation, startsHere: false)
      case .barrier(let channel, let body): channel.runBarrier { [self] in barrier(body) }
      }
    }
  }

  private func barrier(_ body: () -> Void) {
    // relaxed: only this thread compares it with itself.
    barrierThread.storeRelaxed(ThreadSlot.owner())
    body()
    precedeInSanitizedOrder()
    barrierThread.storeRelaxed(0)
    start(lock.withLock { startAssumingLocked(line.barrierEnded()) })
  }

  private let barrierThread = Atomic64(0)
  /// Whether the calling thread runs a barrier here.
  // relaxed: only a store of this very thread can make them equal
  var isInBarrier: Bool { barrierThread.loadRelaxed() == ThreadSlot.owner() }

  /// Puts it into its lane; the lane, if it was idle.
  private func enterAssumingLocked(_ operation: IOOperation) -> IOLane? {
    let lane = laneAssumingLocked(operation)
    return lane.append(operation) ? lane : nil
  }

  private func laneAssumingLocked(_ operation: IOOperation) -> IOLane {
    guard operation.channel.type == .stream else {
      let lane = IOLane(self, operation.direction)
      lanes[ObjectIdentifier(lane)] = lane
      return lane
    }
    let lane = (operation.direction == .read ? reads : writes) ?? IOLane(self, operation.direction)
    if operation.direction == .read { reads = lane } else { writes = lane }
    return lane
  }

  /// A channel was stopped: its operations end.
  func kick() {
    let all = lock.withLock { [reads, writes].compactMap(\.self) + lanes.values }
    for lane in all { lane.kick() }
  }

  // MARK: the end

  /// The last channel has left and the table has forgotten us: nothing is under way any more.
  func end() {
    let (reads, writes) = lock.withLock { () -> (IOLane?, IOLane?) in
      defer { (self.reads, self.writes) = (nil, nil) }
      return (self.reads, self.writes)
    }
    let finish: @Sendable () -> Void = { [self] in finishEnd() }
    guard let reads else { return writes.map { $0.end(finish) } ?? finish() }
    reads.end { writes.map { $0.end(finish) } ?? finish() }
  }

  private func finishEnd() {
    if path != nil, number >= 0 {
      Descriptors.close(number)
      word.storeRelease(UInt32(bitPattern: -1))  // release: as N1; nobody uses the number any more
    }
    let cleanups = cleanups
    self.cleanups = []
    for cleanup in cleanups { cleanup() }
  }
}

// MARK: an absolute path, and how its file is to be opened

struct IOPath: Sendable {
  let name: RawString
  /// open(2)'s, as the user gave them.
  let flags: Int32
  let mode: mode_t

  /// nil unless the path is absolute.
  init?(_ path: UnsafePointer<CChar>, flags: Int32, mode: mode_t) {
    let name = RawString(cString: path)
    guard name.bytes.first == UInt8(ascii: "/") else { return nil }
    (self.name, self.flags, self.mode) = (name, flags, mode)
  }
}
