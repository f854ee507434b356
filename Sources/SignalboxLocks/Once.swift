// Once.swift: running something once, on the thread that comes first; the others wait for its end. As a C word:
// OnceToken in SignalboxDispatch.
//
// The word is OnceState's. Sleepers sleep on its low half, and wakes reach all of them.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// A flag for work that must be done exactly once.
///
/// ```swift
/// let isPrepared = Once()
/// for _ in 1...3 { isPrepared.run { print("prepared") } }  // prepared, once
/// print(isPrepared.isDone)  // true
/// ```
///
/// - Note: Thread safety: any thread. Eight bytes; never allocates. After the work is done, a call costs one load, and one more
///   of the byte that enables instruments, as for every lock.
public struct Once: ~Copyable, Sendable {
  @usableFromInline let state = AtomicState(OnceState.notYet)
  /// Creates the flag; the work is not done yet.
  ///
  /// ```swift
  /// let isPrepared = Once()
  /// print(isPrepared.isDone)  // false
  /// ```
  public init() {}

  /// Whether the work is done. If so, everything it wrote is visible.
  @inlinable public var isDone: Bool {
    // acquire O1: pairs with O2.
    state.word.loadAcquire() == ~0
  }

  /// Runs `body` if the work is not done, or waits while another thread does it. When this returns, the work is done.
  ///
  /// If `body` throws, the work is not done: the error is thrown to this caller, and the next caller, waiting or new, runs its
  /// own `body`.
  ///
  /// ```swift
  /// let isPrepared = Once()
  /// do { try isPrepared.run { throw CancellationError() } } catch { print(isPrepared.isDone) }  // false
  /// isPrepared.run { print("prepared by the next caller") }
  /// ```
  ///
  /// - Precondition: `body` does not call `run` of the same flag; otherwise the program is stopped.
  /// - Throws: what `body` throws.
  @inlinable
  public borrowing func run<E: Error>(_ body: () throws(E) -> Void) throws(E) {
    // With instruments on also once it has run: in another run of the program this caller may come first.
    if _fastPath(Instruments.areOff && isDone) { return }
    guard begin() else { return }
    do throws(E) { try body() } catch {
      end(.notYet)
      throw error
    }
    end(.done)
  }

  private var address: UInt { state.word.address }

  /// Makes the calling thread the runner, or waits until another thread has done it: false.
  @inline(never) @usableFromInline borrowing func begin() -> Bool {
    let me = ThreadSlot.owner()
    let request = LockRequest(.once, address, isPatient: true)
    while true {
      // acquire O1, here and below: what a runner did that threw comes before this one too.
      if state.movedAcquire(from: .notYet, to: .running(me)) {
        request.isGranted()
        return true
      }
      let seen = state.load()
      if seen.isDone { return false }
      guard let runner = seen.runner else { continue }
      if runner == me { stopRecursion() }
      if !spin(seen, runner), seen.isAwaited || state.moved(from: seen, to: seen.afterAwait()) {
        sleep(seen.afterAwait(), behind: runner)
      }
    }
  }

  /// Polls for a while whether the runner gets through; false when it is time to sleep.
  private borrowing func spin(_ seen: OnceState, _ runner: UInt64) -> Bool {
    for round in 0..<spinRounds(LockTuning.rounds) {
      if WaitRecord.isWaiting(runner) { return false }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
      if state.hint() != seen { return true }  // the caller reads it again
    }
    return false
  }

  /// The runner is through: done, or free for another.
  // release O2: publishes what the body wrote; pairs with O1.
  @inline(never) @usableFromInline borrowing func end(_ next: OnceState) {
    LockEvent.released(address)
    let before = OnceState(rawValue: state.word.exchangeAcqRel(next.rawValue))  // release O2, as above
    if before.isAwaited { state.word.wakeLowHalf(count: .max) }
  }

  /// One sleep while the word is `seen`. The record stands only for that long: after it this thread may be the runner itself.
  private borrowing func sleep(_ seen: OnceState, behind runner: UInt64) {
    let object = address
    var inversion = InversionHook.Wait()
    inversion.isBehind(runner)
    BlockingHook.around(longWait: true) {
      Waiting.begin(.once, object: object, isTimed: false, .init(OwnerWord(object, .once)))
      state.word.parkOnLowHalf(expected: seen.low)
      WaitRecord.withdraw()
    }
  }

  private borrowing func stopRecursion() -> Never {
    Misuse.stop(
      "deadlock of one thread: the body of the \(LockMisuse.name(.once, address)) asks for that same once, and would wait for "
        + "itself forever; let the body call what it needs directly")
  }
}
