// RunLoop.swift: Foundation's run loops: the API. How one runs is RunLoop+Run.swift; how others reach it is
// RunLoop+Perform.swift; what it owes Foundation's loop of the same thread, and the reverse, is README.md.
public import Foundation
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A thread's event loop: it fires timers, runs blocks from other threads, handles descriptors, and sleeps in between.
///
/// Each thread has one, created on first use; the main thread's loop also runs the main queue. While it runs, it also serves
/// Foundation's loop of the same thread (ports, streams, `Process`), and is served while that one runs.
///
/// Thread safety: use the run methods, `limitDate` and everything about ports only on the loop's thread; the rest from any
/// thread.
///
/// ```swift
/// func tick(for seconds: TimeInterval) {
///   let timer = Timer(timeInterval: 0.01, repeats: true) { _ in print("tick") }
///   RunLoop.current.add(timer, forMode: .common)
///   RunLoop.current.run(until: Date() + seconds)  // timers fire while the loop runs
///   timer.invalidate()
/// }
/// tick(for: 0.05)
/// ```
// SAFETY of @unchecked: what others reach is guarded by `lock` or atomic; the rest belongs to the thread.
open class RunLoop: NSObject, @unchecked Sendable {
  /// A mode in which a loop runs; Foundation's type, so that modes mean the same for both loops.
  public typealias Mode = Foundation.RunLoop.Mode

  /// Foundation's loop of the same thread, for API that requires it. It need not be run: this loop serves it.
  ///
  /// ```swift
  /// let theirs: Foundation.RunLoop = RunLoop.main.foundationLoop  // for an interface that requires Foundation's type
  /// print(theirs)
  /// ```
  public final let foundationLoop: Foundation.RunLoop
  final let foundation: FoundationLoop
  final let thread: LoopThread

  // MARK: guarded by `lock`

  final let lock = UnfairLock()
  // Unchecked exclusivity here: the lock is not recursive, so accesses cannot overlap.
  @exclusivity(unchecked)
  final var modes = [LoopMode(LoopMode.defaultIndex, .default), LoopMode(LoopMode.commonIndex, .common)]
  /// The modes in which what was given to the common modes is served.
  final var commonMembers: UInt64 = 1 << UInt64(LoopMode.defaultIndex)
  @exclusivity(unchecked) final var entries: [LoopEntry] = []
  final var firstEntry = 0
  final var isOver = false

  // MARK: atomic

  /// Modes for which a call of this loop's lies in Foundation's loop; and whether this loop spins, and checks by
  /// itself.
  final let told = Atomic64(0)
  static let spinning: UInt64 = 1 << 63
  /// How many entries there ever were.
  final let pushed = Atomic64(0)
  /// Whether a run method is under way, and when a call of this loop's last ran in Foundation's loop: hints for
  /// `unserved`.
  final let isRunning = Atomic32(0)
  final let lastServed = Atomic64(0)
  final let unserved = UnservedLoopCheck()
  /// Of the main loop: what items of the main queue do for it.
  final let passes = LoopPasses()
  final let toldOfStranger = Atomic32(0)

  // MARK: the thread's own

  // Unchecked exclusivity: nothing of the program's runs during an access.
  @exclusivity(unchecked) final var runs: [LoopRun] = []
  final var hasRun = false
  /// How many calls of this loop's have run in Foundation's loop.
  final var calls: UInt64 = 0
  final var delayed: [DelayedPerform] = []
  final var lastGlance: UInt64 = 0
  /// Whether an item of the main queue serves the loop now.
  final var isInPass = false
  /// Whether the last glance has left the main queues to Foundation's loop.
  final var leftMainQueues = false
  /// Calls `runBegins`. None of those that `add` counts.
  // Set once, before any other code has the loop.
  private final var beginning: RunLoopObserver?
  /// Tells a recorder of phases. None of those that `add` counts.
  final var phases: RunLoopObserver?

  private init(_ thread: LoopThread, _ foundation: FoundationLoop, _ foundationLoop: Foundation.RunLoop) {
    (self.thread, self.foundation, self.foundationLoop) = (thread, foundation, foundationLoop)
    super.init()
    Events.emit(.untoldUsed, 0)
    let beginning = RunLoopObserver(.entry, order: .min) { [weak self] _ in self?.runBegins() }
    self.beginning = beginning
    foundation.observe(beginning.observer, modes[LoopMode.commonIndex].foundation)
  }

  deinit { if Events.areWanted(.forgotten) { forgetNames() } }

  private static let mainLoop: RunLoop = {
    let loop = RunLoop(.main, .main(), Foundation.RunLoop.main)
    LoopHost.whenLost { loop.hasLostLoop() }
    return loop
  }()

  /// The calling thread's loop.
  @available(*, noasync, message: "a task may resume on another thread: use RunLoop.main")
  open class var current: RunLoop { own }

  /// The main thread's loop. Thread safety: any thread.
  open class var main: RunLoop { mainLoop }

  static var own: RunLoop {
    if MainThreadHost.isMainThread { return mainLoop }
    let locals = ThreadLocals.current
    if let loop = locals.loop { return loop }
    let made = RunLoop(.current, .current(), Foundation.RunLoop.current)
    locals.loop = made
    locals.thread?.hasMade(made)
    return made
  }

  /// The mode in which the loop runs; nil while it does not run. While Foundation's loop runs, that loop's mode.
  open var currentMode: Mode? {
    runs.last.map(\.mode.mode) ?? (hasLostThread ? nil : foundationLoop.currentMode) ?? (isInPass ? .default : nil)
  }

  /// The object, and the thread of the loop.
  ///
  /// ```swift
  /// let loop = RunLoop.main
  /// print(loop)  // <RunLoop: 0x…>{…}
  /// ```
  open override var description: String { "<RunLoop: 0x\(hexAddress(of: self))>{\(thread.title)}" }

  // MARK: modes

  /// The loop's own record of `mode`; made at first use.
  final func record(of mode: Mode) -> LoopMode {
    let (record, isNew) = lock.withLock { () -> (LoopMode, Bool) in
      if let known = modes.first(where: { $0.mode == mode }) { return (known, false) }
      guard modes.count < LoopMode.limit else {
        Misuse.stop("a run loop is used in more than \(LoopMode.limit) modes (\"\(mode.rawValue)\" is new): use fewer names")
      }
      let made = LoopMode(modes.count, mode)
      modes.append(made)
      return (made, true)
    }
    if isNew, let beginning { foundation.observe(beginning.observer, record.foundation) }
    return record
  }

  /// Makes `mode` a common mode: from now on, everything added for `RunLoop.Mode.common` is handled in it.
  ///
  /// The default mode is a common mode from the start. Thread safety: any thread.
  ///
  /// ```swift
  /// let tracking = RunLoop.Mode("tracking")
  /// RunLoop.main.addCommonMode(tracking)  // what was added for .common is handled in this mode, too
  /// ```
  public final func addCommonMode(_ mode: Mode) {
    let record = record(of: mode)
    guard record.index != LoopMode.commonIndex else { return }
    lock.withLock { commonMembers |= record.bit }
    foundation.addCommonMode(record.foundation)
  }

  /// What a run in `mode` serves.
  final func mask(of mode: LoopMode) -> UInt64 {
    lock.withLock { commonMembers & mode.bit != 0 ? mode.bit | LoopMode.common : mode.bit }
  }

  /// The records of the modes in `mask`, as many as there are now.
  final func records(_ mask: UInt64) -> LoopModes { LoopModes(lock.withLock { modes }, mask) }

  // MARK: timers and ports

  /// Adds `timer` to the loop: it fires while the loop runs in `mode`. For several modes, call this several times.
  ///
  /// A timer belongs to one loop; adding it to a second one is refused and reported. Thread safety: any thread.
  open func add(_ timer: Timer, forMode mode: Mode) { schedule(timer, record(of: mode)) }

  /// Adds a port to Foundation's loop of the thread, which this loop serves.
  open func add(_ aPort: Port, forMode mode: Mode) { foundationLoop.add(aPort, forMode: mode) }

  /// Removes the port from that mode.
  open func remove(_ aPort: Port, forMode mode: Mode) { foundationLoop.remove(aPort, forMode: mode) }

  // MARK: running: the other methods are RunLoop+Run.swift

  /// Like `run(mode:before:)`, for a mode given by its name; also returns at once if there is nothing to wait for.
  @available(*, noasync, message: "a task must not block its thread")
  open func acceptInput(forMode mode: String, before limitDate: Date) {
    _ = run(mode: Mode(mode), before: limitDate)
  }

  /// Fires the timers of `mode` that are due and returns the date of the next one: `.distantFuture` if there is no timer but
  /// something else to wait for, nil if there is nothing.
  open func limitDate(forMode mode: Mode) -> Date? { nextDate(in: mode) }
}

// Within these classes, so in subclasses of them too, `RunLoop` by itself is Foundation's: `schedule(in:forMode:)` can be
// overridden as it is written elsewhere. A caller may give a loop of Signalbox's. Signalbox's forms are disfavoured:
// `.current`, which names no type and fits both, is then Foundation's loop of the thread, which is where Signalbox's
// leads to.

extension Stream {
  /// Foundation's loop: the type that overrides of `schedule(in:forMode:)` receive.
  ///
  /// ```swift file
  /// final class Feed: InputStream {
  ///   override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { print("in mode", mode.rawValue) }
  /// }
  /// ```
  public typealias RunLoop = Foundation.RunLoop

  /// Makes the stream call its delegate on the loop's thread, in `mode`.
  ///
  /// ```swift
  /// func open(_ stream: Stream) {
  ///   stream.schedule(in: RunLoop.main, forMode: .default)
  ///   stream.open()
  /// }
  /// ```
  @_disfavoredOverload
  public func schedule(in aRunLoop: SignalboxClasses.RunLoop, forMode mode: RunLoop.Mode) {
    schedule(in: aRunLoop.foundationLoop, forMode: mode)
  }
  /// Removes the stream from the loop in that mode.
  ///
  /// ```swift
  /// func close(_ stream: Stream) {
  ///   stream.close()
  ///   stream.remove(from: RunLoop.main, forMode: .default)
  /// }
  /// ```
  @_disfavoredOverload
  public func remove(from aRunLoop: SignalboxClasses.RunLoop, forMode mode: RunLoop.Mode) {
    remove(from: aRunLoop.foundationLoop, forMode: mode)
  }
}

extension Port {
  /// Foundation's loop: the type that overrides of `schedule(in:forMode:)` receive.
  ///
  /// ```swift file
  /// final class Inbox: Port, @unchecked Sendable {
  ///   override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { print("in mode", mode.rawValue) }
  /// }
  /// ```
  public typealias RunLoop = Foundation.RunLoop

  /// Adds the port to the loop in `mode`.
  ///
  /// ```swift
  /// func listen(at port: Port) {
  ///   port.schedule(in: RunLoop.main, forMode: .default)
  /// }
  /// ```
  @_disfavoredOverload
  public func schedule(in runLoop: SignalboxClasses.RunLoop, forMode mode: RunLoop.Mode) {
    schedule(in: runLoop.foundationLoop, forMode: mode)
  }
  /// Removes the port from the loop in that mode.
  ///
  /// ```swift
  /// func stopListening(at port: Port) {
  ///   port.remove(from: RunLoop.main, forMode: .default)
  /// }
  /// ```
  @_disfavoredOverload
  public func remove(from runLoop: SignalboxClasses.RunLoop, forMode mode: RunLoop.Mode) {
    remove(from: runLoop.foundationLoop, forMode: mode)
  }
}
