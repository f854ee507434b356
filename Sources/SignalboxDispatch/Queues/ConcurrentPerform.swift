// ConcurrentPerform.swift: running a body for each index, on the calling thread and on as many workers as find time.
//
// Indices are claimed from one counter. The claim is one index at first; while bodies are quick a participant doubles its
// claim (at most 64), because one addition per index would cost more than the body. A participant whose body blocks in a wait
// of ours gives the rest of its claim back first, so bodies may wait for one another; a claim beyond one index is taken only
// when at least 64 per participant remain.
//
// The loop over the claimed indices is inlined into the caller, with the body in it (ApplyWindow): what is called out of this module is a
// function for each claim, not one for each index.
//
// A perform inside a body of another one, which already has a participant for every processor, stays with its thread
// (runAlone): helpers could only take from the outer one what it would get anyway. As soon as the bodies turn out not to be
// quick, or one blocks in a wait of ours, the rest is published like any other.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// Calls `work` once for each index from 0 up to `iterations`, several at the same time, and returns when all calls have
  /// ended.
  ///
  /// - Parameters:
  ///   - iterations: the number of calls; 0 or less does nothing.
  ///   - work: called on the calling thread and on workers; must be safe to call from several threads at once.
  @inlinable @inline(__always)
  public final class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
    ApplyWindow.perform(iterations) { $0.run(work) }
  }

  /// Calls `work` for each index as items of this queue, and returns when all have ended: on a serial queue a plain loop in its
  /// turn, on a concurrent one several at once.
  package final func apply(iterations: Int, execute work: (Int) -> Void) {
    guard iterations > 0 else { return }
    func loop(_ window: UnsafeMutablePointer<ApplyWindow>) { window.run(work) }
    switch kind {
    case .global:
      Events.emit(.applied, 0)
      // The caller runs bodies too, and each of them is on this queue.
      ThreadSlot.current.inside(address, .syncShared) { () throws(Never) -> Void in
        ParallelApply.run(iterations, on: self, limit: Tuning.processors, loop)
      }
    case .serial, .main, .runLoop: sync { () throws(Never) -> Void in for index in 0..<iterations { work(index) } }
    case .concurrent:
      sync { () throws(Never) -> Void in ParallelApply.run(iterations, on: self, limit: Tuning.processors, loop) }
    }
  }
}

/// The indices to run next, for the loop in the caller's module. Part of a claim: on the participant's stack, and touched by its own
/// thread only.
@frozen @usableFromInline struct ApplyWindow {
  /// The first that has not begun.
  @usableFromInline var next: UInt64 = 0
  /// Where to stop. A body that waits takes back what has not begun: read again after each.
  @usableFromInline var end: UInt64 = 0

  init() {}

  /// What `concurrentPerform` does out of the caller's module; `loop` runs a window.
  @usableFromInline
  static func perform(_ iterations: Int, _ loop: (UnsafeMutablePointer<ApplyWindow>) -> Void) {
    guard iterations > 1 else {
      if iterations == 1 { runOne(loop) }
      return
    }
    Events.emit(.applied, 0)
    ParallelApply.run(iterations, on: nil, limit: Tuning.processors, loop)
  }

  private static func runOne(_ loop: (UnsafeMutablePointer<ApplyWindow>) -> Void) {
    var only = ApplyWindow()
    only.end = 1
    loop(&only)
  }
}

extension UnsafeMutablePointer where Pointee == ApplyWindow {
  /// Calls `work` for each index. Not a method of the window: a body that waits changes the window, and nobody may assume that only this
  /// loop does.
  @inlinable @inline(__always)
  func run(_ work: (Int) -> Void) {
    var index = pointee.next
    while index < pointee.end {
      pointee.next = index &+ 1
      work(Int(truncatingIfNeeded: index))
      index &+= 1
    }
  }
}

/// One parallel apply under way.
final class ParallelApply: @unchecked Sendable {
  // SAFETY of @unchecked: counters are atomic, `returned` is guarded by `lock`; `work` points into the frame of run(), and is
  // followed only by a participant that has claimed an index, for whose end run() waits.

  private let next: Atomic64
  /// Indices whose body has ended.
  private let ended = Atomic64(0)
  /// Threads that run bodies now.
  private let active = Atomic64(0)
  private let limit: UInt64
  private let count: UInt64
  private let participants: UInt64
  private let answer = AnswerWord()
  private let work: UnsafePointer<Body>
  /// Where helpers run. SAFETY: lent by run(), which lasts until no index is left.
  private let queue: Lent<DispatchQueue>
  private let lock = UnfairLock()
  /// Parts of claims given back by participants that blocked.
  private var returned: [Range<UInt64>] = []
  private let returnedCount = Atomic32(0)

  /// The loop in the caller's module.
  typealias Loop = (UnsafeMutablePointer<ApplyWindow>) -> Void
  struct Body { let run: Loop }

  private init(_ range: Range<UInt64>, participants: Int, _ work: UnsafePointer<Body>, on queue: DispatchQueue) {
    self.queue = Lent(queue)
    next = Atomic64(range.lowerBound)
    limit = range.upperBound
    count = UInt64(range.count)
    self.participants = UInt64(participants)
    self.work = work
  }

  /// The root under which the calling code runs, so that helpers are as urgent as their caller.
  static func rootForCaller() -> DispatchQueue {
    guard var queue = DispatchQueue.current else { return GlobalQueues.queue(for: .default) }
    while let target = queue.target { queue = target }
    return queue.isRoot ? queue : GlobalQueues.queue(for: .default)
  }

  /// Runs all; helpers come as items of `queue`, or of the root under which the caller runs.
  static func run(_ iterations: Int, on queue: DispatchQueue?, limit: Int, _ loop: Loop) {
    withoutActuallyEscaping(loop) { escapable in
      var body = Body(run: escapable)
      withUnsafePointer(to: &body) { pointer in
        let all = 0..<UInt64(iterations)
        let isAlone = isCrowded(limit)
        guard let apply = isAlone ? runAlone(all, on: queue, pointer, escapable) : publish(all, on: queue, limit, pointer)
        else { return }
        apply.participate()
        apply.waitForHelpers()
      }
    }
  }

  /// Makes the apply known to other threads, before the caller runs a body: a helper may come at any time from then on, and
  /// finds nothing if it is late.
  fileprivate static func publish(
    _ range: Range<UInt64>, on queue: DispatchQueue?, _ limit: Int, _ work: UnsafePointer<Body>, isRest: Bool = false
  ) -> ParallelApply {
    let queue = queue ?? rootForCaller()
    // At least two: a body may wait for another one. Of a rest, any index may be what the caller's body waits for.
    let bodies = range.count + (isRest ? 1 : 0)
    let participants = min(bodies, max(2, limit))
    let apply = ParallelApply(range, participants: participants, work, on: queue)
    for _ in 1..<max(2, participants) where bodies > 1 { queue.push(helper: apply) }
    return apply
  }

  // MARK: inside another perform

  /// Whether the caller runs a body of a perform that has a thread for every processor already.
  private static func isCrowded(_ limit: Int) -> Bool {
    guard let raw = ThreadSlot.current.pointee.perform else { return false }
    guard case .published(let outer) = raw.assumingMemoryBound(to: ApplyClaim.self).pointee.origin else { return true }
    return outer.use { $0.active.loadRelaxed() } >= UInt64(limit)  // relaxed: a moment's view; either way is right
  }

  /// Runs the bodies one after another; nil when that was all. Otherwise the rest, published: somebody waits or takes long.
  /// `loop` is what `work` points to, lent: taken from there its reference would be counted.
  private static func runAlone(
    _ range: Range<UInt64>, on queue: DispatchQueue?, _ work: UnsafePointer<Body>, _ loop: Loop
  ) -> ParallelApply? {
    let thread = ThreadSlot.current
    var claim = ApplyClaim(work: work, queue: queue, range, outer: thread.pointee.perform)
    return withUnsafeMutablePointer(to: &claim) { pointer in
      thread.pointee.perform = UnsafeMutableRawPointer(pointer)
      runUntilSlow(pointer, loop)
      thread.pointee.perform = pointer.pointee.outer
      return pointer.pointee.published?.takeRetainedValue()
    }
  }

  @inline(never)
  private static func runUntilSlow(_ claim: UnsafeMutablePointer<ApplyClaim>, _ loop: Loop) {
    let start = Clock.ticks()
    // The clock costs more than a quick body: it is read after 1, 8, 64, 128, 192, ... of them.
    var check: UInt64 = 1
    while claim.run(upTo: check, loop) {
      if Clock.ticks() &- start > Tuning.quickItemTicks { return claim.pointee.giveBack() }
      check = check < 64 ? check * 8 : check + 64
    }
  }

  /// What reports and records know the loop by.
  var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  private func waitForHelpers() {
    while ended.loadAcquire() != count {  // acquire: what the bodies did; pairs with the addition in runClaims
      if AdaptiveSpin.wait({ ended.loadAcquire() == count || hasReturned }) {  // acquire: as above
        participate()
        continue
      }
      Raising.around({ $0.addInsiders(of: address) }) {
        Blocking.whileBlocked { _ = answer.sleep { LoopWaits.begin(self, park: $0) } }
      }
    }
  }

  /// Runs indices until none is left to claim.
  func participate() {
    if next.loadRelaxed() >= limit, !hasReturned { return }  // relaxed: the claim re-checks
    _ = active.addRelaxed(1)  // relaxed, here and below: a hint for isCrowded
    SharedHolds.add(address)  // who is inside a body keeps the caller waiting (QueueWaits.swift)
    defer {
      _ = SharedHolds.remove(address)
      _ = active.addRelaxed(~0)  // relaxed: as above
    }
    let thread = ThreadSlot.current
    var claim = ApplyClaim(apply: self, outer: thread.pointee.perform)
    withUnsafeMutablePointer(to: &claim) { pointer in
      thread.pointee.perform = UnsafeMutableRawPointer(pointer)
      runClaims(pointer)
      thread.pointee.perform = pointer.pointee.outer
    }
  }

  private func runClaims(_ claim: UnsafeMutablePointer<ApplyClaim>) {
    var size: UInt64 = 1
    var done: UInt64 = 0
    let mayGrow = count > participants * 64
    while let range = takeRange(size) {
      let start = mayGrow ? Clock.ticks() : 0
      done += ParallelApply.runClaim(claim, range, work.pointee.run)
      if mayGrow { size = nextSize(size, spent: Clock.ticks() &- start) }
    }
    // acquire-release: what the bodies did is visible to whoever sees the full count.
    if done > 0, ended.addAcqRel(done) + done == count {
      withUnsafePointer(to: answer.word) { AnswerWord.answer($0) }
    }
  }

  /// Runs the claimed indices that nobody has been given meanwhile; returns how many. The loop is an argument so that its
  /// reference is counted once a claim.
  @inline(never)
  private static func runClaim(_ claim: UnsafeMutablePointer<ApplyClaim>, _ range: Range<UInt64>, _ loop: Loop) -> UInt64 {
    claim.pointee.begin(range)
    _ = claim.run(upTo: range.upperBound, loop)
    return claim.pointee.endClaim() - range.lowerBound
  }

  /// Quick bodies: twice as many at a time, as long as plenty remain for everybody; slow ones: fewer.
  private func nextSize(_ size: UInt64, spent: UInt64) -> UInt64 {
    let left = limit &- min(next.loadRelaxed(), limit)  // relaxed: a guess at what is left
    if left < participants * 64 { return 1 }
    if spent < 4_000 { return min(64, size * 2) }
    return spent > 100_000 ? max(1, size / 2) : size
  }

  private func takeRange(_ size: UInt64) -> Range<UInt64>? {
    if hasReturned, let range = takeReturned() { return range }
    // relaxed: claims need only differ; what they lead to came with the helper's item
    let start = next.loadRelaxed() >= limit ? limit : next.addRelaxed(size)
    guard start < limit else { return takeReturned() }
    return start..<min(start + size, limit)
  }

  // MARK: claims given back

  /// The calling thread is about to sleep inside a body: others take the rest of its claim.
  static func giveBackClaims() {
    var raw = ThreadSlot.current.pointee.perform
    while let here = raw {
      let claim = here.assumingMemoryBound(to: ApplyClaim.self)
      claim.pointee.giveBack()
      raw = claim.pointee.outer
    }
  }

  /// A moment's view: whoever gives back also sends a helper.
  private var hasReturned: Bool { returnedCount.loadRelaxed() > 0 }  // relaxed: as told above

  fileprivate func takeBack(_ range: Range<UInt64>) {
    lock.withLock { returned.append(range) }
    _ = returnedCount.addSeqCst(1)  // seq_cst, though a hint: the lock orders what is returned
    // The helpers may all have gone: one more comes.
    queue.use { $0.push(helper: self) }
  }

  private func takeReturned() -> Range<UInt64>? {
    guard hasReturned else { return nil }
    return lock.withLock {
      guard let range = returned.popLast() else { return nil }
      _ = returnedCount.addSeqCst(~0)  // seq_cst: as in takeBack
      return range
    }
  }
}

/// The indices a participant has claimed and not yet run. On its stack; touched by its own thread only.
struct ApplyClaim {
  /// What is run next. Stays the first field.
  fileprivate var window = ApplyWindow()
  /// Where the claim ends: where the window does, or beyond.
  fileprivate var last: UInt64 = 0

  enum Origin {
    // The participant's caller keeps both, and the body.
    case published(Lent<ParallelApply>)
    /// Nobody else knows of the apply. Helpers would come as items of the queue.
    case alone(UnsafePointer<ParallelApply.Body>, on: Lent<DispatchQueue>?)
  }
  let origin: Origin
  let outer: UnsafeMutableRawPointer?
  /// What became of the rest of an apply that was not published at first, +1.
  private(set) var published: Unmanaged<ParallelApply>?

  init(apply: ParallelApply, outer: UnsafeMutableRawPointer?) {
    (origin, self.outer) = (.published(Lent(apply)), outer)
  }

  init(
    work: UnsafePointer<ParallelApply.Body>, queue: DispatchQueue?, _ range: Range<UInt64>, outer: UnsafeMutableRawPointer?
  ) {
    (origin, self.outer) = (.alone(work, on: queue.map { Lent($0) }), outer)
    begin(range)
  }

  mutating func begin(_ range: Range<UInt64>) {
    window.next = range.lowerBound
    last = range.upperBound
  }

  /// Where the claim has ended; it has nothing any more.
  mutating func endClaim() -> UInt64 {
    last = 0
    return window.next
  }

  mutating func giveBack() {
    guard window.next < last else { return }
    let rest = window.next..<last
    last = window.next
    window.end = window.next
    switch origin {
    case .published(let apply): apply.use { $0.takeBack(rest) }
    case .alone(let work, let queue):
      published = .passRetained(ParallelApply.publish(rest, on: queue?.kept, Tuning.processors, work, isRest: true))
    }
  }
}

extension UnsafeMutablePointer where Pointee == ApplyClaim {
  /// Runs up to the index `limit`; false if the claim ends there or before it, which a body may bring about.
  fileprivate func run(upTo limit: UInt64, _ loop: ParallelApply.Loop) -> Bool {
    pointee.window.end = Swift.min(limit, pointee.last)
    assert(MemoryLayout<ApplyClaim>.offset(of: \.window) == 0)
    // SAFETY: the window is a claim's first field: asserted. No access to the field stands while the loop changes it.
    loop(UnsafeMutableRawPointer(self).assumingMemoryBound(to: ApplyWindow.self))
    return pointee.window.next == limit && limit < pointee.last
  }
}

extension DispatchQueue {
  /// Submits one helper of a parallel apply.
  fileprivate final func push(helper: ParallelApply) {
    push(Slot(SlotKind.helper, UInt64(UInt(bitPattern: Unmanaged.passRetained(helper).toOpaque()))))
  }
}
