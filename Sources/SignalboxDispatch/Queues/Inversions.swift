// Inversions.swift: a thread that runs what more urgent work waits for, and stands behind it: what is done about it, and what cannot be is
// counted. When that comes to pass is Raising.swift and DispatchQueue+Raise.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

enum Inversions {
  /// A wait shorter than this is not counted: 10 ms, in nanoseconds.
  static let patience: UInt64 = 10_000_000
  /// How many waits could not be helped and lasted longer. relaxed: a count by itself.
  static let count = Relaxed64(0)

  /// A wait for a thread of `band` that could not be helped is over.
  static func note(lasted nanoseconds: UInt64, for band: Band) {
    guard nanoseconds > patience else { return }
    let total = count.add(1) + 1
    if PoolEnvironment.reportsInversions { report(nanoseconds, band, total) }
  }

  // When the last was reported, on the uptime clock. relaxed: decides who reports, and nothing more.
  private static let lastReport = Relaxed64(0)
  /// At most one line a second.
  @inline(never) private static func report(_ nanoseconds: UInt64, _ band: Band, _ total: UInt64) {
    let now = Clock.uptime(), last = lastReport.load()
    guard last == 0 || now &- last >= 1_000_000_000, lastReport.cas(last, now).exchanged else { return }
    Misuse.report(
      "a thread has waited \(nanoseconds / 1_000_000) ms for a thread of the \(band) class, which the kernel does not permit to "
        + "prefer (number \(total) of such waits): let the process have CAP_SYS_NICE, or do what is waited for in a more urgent class"
    )
  }

  /// Whether a wait of such work may be for a lower band: one that has threads. A few loads; no for what an explorer
  /// decides.
  static func mayMatter(to serviceClass: ServiceClass) -> Bool {
    guard Band.areSeveral, Pools.isMade, serviceClass != .background else { return false }
    if Exploration.isOn || ThreadSlot.current.pointee.engine != nil { return false }
    return hasThreads(.background) || serviceClass.band == .normal && hasThreads(.utility)
  }
  private static func hasThreads(_ band: Band) -> Bool {
    Pools.serving(band.classes.mostUrgent).use { $0.snapshot[PoolState.total] > 0 }
  }

  /// The class that the calling thread's work has, or a more urgent one that waits for the thread: threads of the
  /// program's count as default.
  @inline(__always) static var classOfCaller: ServiceClass {
    guard let worker = Pool.worker(ThreadSlot.current), let own = worker.use({ $0.servedClass }) else { return .standard }
    return worker.use { _slowPath($0.isLowered) ? own.raised(to: $0.classHelped) : own }
  }

  /// Work of the class waits for what the owner of `queue` does: if that is a worker of a lower band it is asked to
  /// give way after its item, so that the rest moves, and it is preferred until then: its next turn comes soon, and
  /// where the kernel permits that it gets as much of a processor as the asker's band has. Returns its band if it does
  /// not get that.
  static func help(ownerOf queue: DispatchQueue, to serviceClass: ServiceClass) -> Band? {
    guard let owner = queue.ownerNumber, let worker = worker(owner: owner, behind: serviceClass) else { return nil }
    let band = help(worker, to: serviceClass)
    // It may have begun its next job between the two.
    if queue.ownerNumber != owner { worker.isPreferredInVain() }
    return band
  }

  /// The same for the item that `worker` runs.
  static func help(_ worker: Worker, to serviceClass: ServiceClass) -> Band? {
    worker.ask(Worker.Asked.toYield)
    // First preferred, then asked to go back, after this item or before the next job.
    worker.isPreferred(asAt: serviceClass.band.niceness)
    worker.ask(Worker.Asked.toGoBack)
    return isHelpless ? worker.band : nil
  }

  /// Whether a thread that stands behind others cannot be helped in full.
  static var isHelpless: Bool {
    // Else it does not stand behind.
    guard let permitted = ThreadRank.permissions, permitted.contains(.lowering) else { return false }
    return !permitted.contains(.raising)
  }

  /// Nobody asks for `queue` any more: who drains it on a thread of another band than its own is asked to give way, so that the rest
  /// moves. The calling thread, if it is the owner, waited for its turn: it leaves the rest to the target.
  static func sendBack(_ queue: DispatchQueue) {
    guard let owner = queue.ownerNumber, owner != ThreadSlot.current.pointee.owner, let worker = worker(owner: owner),
      queue.isMisplaced(in: worker.band)
    else { return }
    worker.ask(Worker.Asked.toYield)
  }

  /// The worker of a lower band than that of the class whose thread is `owner`.
  static func worker(owner: UInt64, behind serviceClass: ServiceClass) -> Worker? {
    guard LoweredThreads.contains(owner), let worker = worker(owner: owner) else { return nil }
    return worker.band.rawValue > serviceClass.band.rawValue ? worker : nil
  }

  /// The worker of the process's engine whose thread is `owner`.
  private static func worker(owner: UInt64) -> Worker? {
    guard let thread = ThreadTable.entry(owner: owner)?.thread else { return nil }
    for pool in Pools.all {
      // acquire: pairs with the release by which the worker's thread says its number
      for worker in pool.use({ $0.workers }) where worker.threadID.loadAcquire() == UInt64(thread) { return worker }
    }
    return nil
  }

  // MARK: locks

  /// From now on who is about to sleep for a lock says so.
  static func hearOfLocks() {
    InversionHook.install(
      begin: { Inversions.beginsWait(for: $0, $1, $2) }, end: { Inversions.endsWait($0) },
      taken: { Awaited.isHeld($0, by: $1) })
  }
  /// The calling thread is about to sleep for a lock that the thread `owner` holds, or, if that is 0, threads without a name that are inside of
  /// `object`. Returns what `endsWait` is to have: 0 where nothing is done. `token`: what it returned before in the same wait, or 0.
  static func beginsWait(for owner: UInt64, _ object: UInt = 0, _ token: UInt64 = 0) -> UInt64 {
    // A thread that sleeps for a lock whose holder always has a name checks again by itself after 10 ms.
    guard object != 0 || LoweredThreads.contains(owner) else { return token }
    let serviceClass = classOfCaller
    guard mayMatter(to: serviceClass) else { return token }
    let raising = token == 0 ? Unmanaged.passRetained(Raising(serviceClass)) : Unmanaged<Raising>.at(UInt(token))
    let found = raising.takeUnretainedValue()
    if object != 0, token == 0 { Awaited.add(object, found) }
    if owner == 0 { found.addInsiders(of: object) } else if LoweredThreads.contains(owner) { found.add(threadOf: owner) }
    return UInt64(UInt(bitPattern: raising.toOpaque()))
  }
  static func endsWait(_ token: UInt64) { Unmanaged<Raising>.at(UInt(token)).takeRetainedValue().end() }
}

extension DispatchQoS {
  /// How often work has waited for longer than 10 ms for a thread of a less urgent class that the kernel does not permit to be
  /// preferred: see `granted`. With `SIGNALBOX_INVERSIONS=report` each second's first such wait is reported on standard error.
  ///
  /// ```swift
  /// let before = DispatchQoS.unhelpedInversions
  /// DispatchQueue(label: "index", qos: .background).sync { print("what urgent work waits for") }
  /// print(DispatchQoS.unhelpedInversions - before, "long waits could not be shortened")
  /// ```
  ///
  /// - Complexity: O(1). Thread safety: any thread.
  public static var unhelpedInversions: Int { Int(Inversions.count.load()) }
}
