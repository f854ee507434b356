// HeldStack.swift: which locks a thread holds and where it took them, while locks are tracked; and which chains it has seen.
//
// Memory of its own, of 64-bit words, made at a thread's first tracked lock and handed to another thread at its end: never freed,
// so that a thread that reads a sleeping holder's (HeldLocks.swift) always reads memory of this kind. Only its thread
// writes it, save for the mailbox: a lock that another thread gave back is named there.
import CSignalbox
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// One lock that is held.
struct HeldEntry {
  enum Cell: Int { case address = 0, what, lockClass, instance, walk, stackCount, stack }
  static let words = Cell.stack.rawValue + stackLimit
  static let stackLimit = CallSite.limit

  let base: UnsafeMutablePointer<Atomic64>

  // relaxed: other threads read only while this one sleeps; the record of its wait orders them.
  subscript(cell: Cell) -> UInt64 {
    get { base[cell.rawValue].loadRelaxed() }
    nonmutating set { base[cell.rawValue].storeRelaxed(newValue) }  // relaxed: the same
  }

  var address: UInt { UInt(self[.address]) }
  var kind: WaitKind { WaitKind(rawValue: UInt8(truncatingIfNeeded: self[.what])) ?? .none }
  var mode: LockMode { LockMode(rawValue: UInt8(truncatingIfNeeded: self[.what] >> 8)) ?? .exclusive }
  /// How often the thread holds it.
  var depth: UInt64 {
    get { self[.what] >> 16 }
    nonmutating set { self[.what] = self[.what] & 0xFFFF | newValue << 16 }
  }
  /// 0 as long as no code asked for it.
  var classBits: UInt { UInt(self[.lockClass]) }

  func fill(_ address: UInt, _ kind: WaitKind, _ mode: LockMode, _ caller: CallSite, _ walk: RememberedWalk) {
    self[.what] = UInt64(kind.rawValue) | UInt64(mode.rawValue) << 8 | 1 << 16
    self[.lockClass] = 0
    caller.renew(walk)
    // Mostly the same lock is taken at the same place again, and the entry has its stack already.
    if self[.walk] != walk.state {
      self[.stackCount] = UInt64(caller.write(walk, to: base + Cell.stack.rawValue, most: Self.stackLimit))
      self[.walk] = walk.state
    }
    self[.address] = UInt64(address)
  }

  var stack: [UInt] {
    let count = min(Int(self[.stackCount]), Self.stackLimit)
    // relaxed: as for all words of an entry, see HeldEntry
    return (0..<count).map { UInt(base[Cell.stack.rawValue + $0].loadRelaxed()) }
  }

  func take(_ other: HeldEntry) {
    // relaxed: as for all words of an entry, see HeldEntry
    for index in 0..<Self.words { base[index].storeRelaxed(other.base[index].loadRelaxed()) }
  }
}

/// What is known of one thread.
struct HeldStack {
  enum Cell: Int { case owner = 0, tid, serial, epoch, count, isBusy, next, hasMail, mail }
  static let entryLimit = 32
  private static let mailLimit = 4
  private static let entries = 16
  private static let cacheSize = 512
  private static let cache = entries + entryLimit * HeldEntry.words
  /// Stacks that were captured for locks, by the locks' addresses.
  private static let walkCount = 4
  private static let walks = cache + cacheSize
  static let words = walks + walkCount * RememberedWalk.words

  let base: UnsafeMutablePointer<Atomic64>

  subscript(cell: Cell) -> UInt64 {
    get { base[cell.rawValue].loadRelaxed() }  // relaxed: see HeldEntry
    nonmutating set { base[cell.rawValue].storeRelaxed(newValue) }  // relaxed: see HeldEntry
  }

  var count: Int { Int(self[.count]) }
  func entry(_ index: Int) -> HeldEntry { HeldEntry(base: base + Self.entries + index * HeldEntry.words) }

  /// The calling thread's, brought up to date; nil at the very end of a thread.
  @inline(__always)
  static func current(epoch: UInt64) -> HeldStack? {
    let thread = ThreadSlot.current
    guard let raw = thread.pointee.held else { return HeldStackPool.make(epoch) }
    if raw == HeldStackPool.ended { return nil }
    let stack = HeldStack(base: raw.assumingMemoryBound(to: Atomic64.self))
    if stack[.epoch] != epoch { stack.restart(epoch) }
    if stack[.hasMail] != 0 { stack.readMail() }
    return stack
  }

  /// What was noted before tracking was last switched on says nothing any more.
  func restart(_ epoch: UInt64) {
    self[.count] = 0
    self[.epoch] = epoch
    // relaxed: mail that comes at this moment is of locks that were taken before tracking; the cache is the thread's alone
    for index in 0..<Self.mailLimit { base[Cell.mail.rawValue + index].storeRelaxed(0) }
    for index in 0..<Self.cacheSize { base[Self.cache + index].storeRelaxed(0) }
  }

  // MARK: the locks held

  func find(_ address: UInt) -> Int? {
    var index = count - 1
    while index >= 0 {
      if entry(index).address == address { return index }
      index -= 1
    }
    return nil
  }

  @inline(never)
  func push(_ address: UInt, _ kind: WaitKind, _ mode: LockMode, _ caller: CallSite) {
    if let index = find(address) { return entry(index).depth += 1 }
    // Deeper than any thread should go: the rest is not tracked.
    guard count < Self.entryLimit else { return }
    entry(count).fill(address, kind, mode, caller, walk(for: address))
    self[.count] += 1
  }

  /// False if the lock is not among those known.
  @discardableResult
  func pop(_ address: UInt) -> Bool {
    guard let index = find(address) else { return false }
    let entry = entry(index)
    if entry.depth > 1 {
      entry.depth -= 1
      return true
    }
    remove(index)
    return true
  }

  private func walk(for address: UInt) -> RememberedWalk {
    let index = Int((address >> 4 ^ address >> 8) % UInt(Self.walkCount))
    return RememberedWalk(UnsafeMutableRawPointer(base + Self.walks + index * RememberedWalk.words), index: index)
  }

  private func remove(_ index: Int) {
    for later in index..<(count - 1) { entry(later).take(entry(later + 1)) }
    self[.count] -= 1
  }

  // MARK: the mailbox

  /// Another thread has given back a lock of this one. Called before it does, by that other thread.
  // acquire-release M1: pairs with M2; the holder sees it at its next check, at the latest once it has taken that lock again.
  func mail(_ address: UInt) {
    defer { base[Cell.hasMail.rawValue].storeRelease(1) }
    for index in 0..<Self.mailLimit where base[Cell.mail.rawValue + index].casAcqRel(0, UInt64(address)).exchanged { return }
    base[Cell.mail.rawValue].storeRelease(~0)  // too many at once: all is forgotten
  }

  @inline(never)
  private func readMail() {
    // acquire-release M2: pairs with M1
    _ = base[Cell.hasMail.rawValue].exchangeAcqRel(0)  // first: what comes later sets it again
    for index in 0..<Self.mailLimit {
      let address = base[Cell.mail.rawValue + index].exchangeAcqRel(0)  // acquire-release M2: pairs with M1
      if address == ~0 {
        self[.count] = 0
      } else if address != 0, let found = find(UInt(address)) {
        remove(found)
      }
    }
  }

  // MARK: chains seen

  /// Whether the chain is among the last two that share its place.
  @inline(__always) func hasSeen(_ key: UInt64) -> Bool {
    let place = Self.place(key)
    // relaxed: the cache is read and written by its thread alone
    return base[place].loadRelaxed() == key || base[place + 1].loadRelaxed() == key
  }
  func remember(_ key: UInt64) {
    let place = Self.place(key)
    // relaxed, both: the cache is its thread's alone
    base[place + 1].storeRelaxed(base[place].loadRelaxed())
    base[place].storeRelaxed(key)
  }
  @inline(__always) private static func place(_ key: UInt64) -> Int { cache + Int(key >> 8 % UInt64(cacheSize / 2)) * 2 }
}

/// Where held stacks come from and go to.
enum HeldStackPool {
  /// What a thread's pointer says when its end has come.
  static var ended: UnsafeMutableRawPointer { UnsafeMutableRawPointer.at(1) }

  private static let lock = InnerLock()
  // SAFETY: both guarded by `lock`.
  nonisolated(unsafe) private static var free: UnsafeMutablePointer<Atomic64>?
  nonisolated(unsafe) private static var serial: UInt64 = 0

  private static let threadEndIsNoticed: Void = ThreadSlot.onThreadEnd { give() }

  @inline(never)
  static func make(_ epoch: UInt64) -> HeldStack? {
    _ = threadEndIsNoticed
    let owner = ThreadSlot.owner()
    let thread = ThreadSlot.current
    let stack = lock.withLock { () -> HeldStack in
      serial += 1
      let stack = HeldStack(base: take())
      stack[.serial] = serial
      return stack
    }
    stack.restart(epoch)
    stack[.owner] = owner
    stack[.tid] = thread.pointee.tid
    thread.pointee.held = UnsafeMutableRawPointer(stack.base)
    // release H1: pairs with H2; a thread that finds it finds it whole.
    slot(owner).pointee.storeRelease(UInt64(UInt(bitPattern: stack.base)))
    return stack
  }

  private static func take() -> UnsafeMutablePointer<Atomic64> {
    if let found = free {
      free = UnsafeMutableRawPointer(bitPattern: UInt(HeldStack(base: found)[.next]))?.assumingMemoryBound(to: Atomic64.self)
      return found
    }
    let raw = UnsafeMutableRawPointer.allocate(byteCount: HeldStack.words * 8, alignment: 64)
    raw.initializeMemory(as: UInt64.self, repeating: 0, count: HeldStack.words)
    // SAFETY: an atomic word has the layout of its integer.
    return raw.assumingMemoryBound(to: Atomic64.self)
  }

  /// At the end of a thread.
  private static func give() {
    let thread = ThreadSlot.current
    guard let raw = thread.pointee.held, raw != ended else { return }
    let snapshot = Instruments.snapshot
    if UInt8(truncatingIfNeeded: snapshot) & Instruments.lockTracking != 0 {
      HeldStack.current(epoch: snapshot >> 8).map { HeldAtEnd.report($0) }
    }
    thread.pointee.held = ended
    let base = raw.assumingMemoryBound(to: Atomic64.self)
    let stack = HeldStack(base: base)
    // release: pairs with H2: a thread that still finds the stack finds its owner changed, or what was there before
    slot(stack[.owner]).pointee.storeRelease(0)
    stack[.owner] = 0
    stack[.count] = 0
    lock.withLock {
      stack[.next] = UInt64(UInt(bitPattern: free.map { UnsafeRawPointer($0) }))
      free = base
    }
  }

  /// What is known of the thread `owner`; nil if nothing is.
  static func stack(of owner: UInt64) -> HeldStack? {
    // acquire H2: see H1.
    guard let raw = UnsafeMutableRawPointer(bitPattern: UInt(slot(owner).pointee.loadAcquire())) else { return nil }
    let stack = HeldStack(base: raw.assumingMemoryBound(to: Atomic64.self))
    return stack[.owner] == owner ? stack : nil
  }

  // SAFETY: a static C table of process life; every access is atomic.
  private static func slot(_ owner: UInt64) -> UnsafePointer<Atomic64> {
    UnsafeRawPointer(sb_held_at(OwnerValue.slot(of: owner))).assumingMemoryBound(to: Atomic64.self)
  }
}
