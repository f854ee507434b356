// CollectionLock.swift: the lock inside a collection that threads share; a thread that enters twice is stopped, not hung.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
public import SignalboxWords

/// A lock that names its collection when the thread that holds it comes in again.
@usableFromInline struct CollectionLock: ~Copyable, Sendable {
  @usableFromInline let core = LockCore()
  private let noun: StaticString
  let label: String

  /// - Parameters:
  ///   - noun: the type, as messages call it.
  ///   - label: the object, as its maker calls it; may be empty.
  @usableFromInline init(_ noun: StaticString, label: String) {
    self.noun = noun
    self.label = label
  }

  /// To be called by the collection once it is made. With a label it belongs with all that have the same one.
  func isMade() {
    core.isMade(.mutex)
    if !label.isEmpty { LockNames.name(core.address, label) }
  }
  /// To be called by the collection before it goes.
  func isGone() { if label.isEmpty { core.isGone() } else { LockNames.forget(core.address) } }

  /// Runs `body` while holding the lock, which is free again however `body` ends.
  @inlinable @inline(__always)
  borrowing func around<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    enter()
    defer { leave() }
    return try body()
  }

  // With instruments on the way leads through lock(), so that they see a lock taken and not one tried.
  @inlinable @inline(__always) borrowing func enter() {
    if _fastPath(Instruments.areOff && core.tryLock(.mutex)) { return }
    enterSlow()
  }

  @inlinable @inline(__always) borrowing func leave() { _ = core.unlock(.mutex) }

  @inline(never) @usableFromInline borrowing func enterSlow() {
    if core.isMine {
      Misuse.stop(
        "\(name) is used inside its own locked body: it would wait for itself forever; "
          + "work on the value that the body is given, or use the collection after the body")
    }
    core.lock(.mutex)
  }

  /// Says on standard error that a write went nowhere.
  @inline(never) @usableFromInline borrowing func reportLostWrite(index: Int, count: Int) {
    Misuse.report(
      "\(name) has no element \(index) to set, its count is \(count): the write has no effect; "
        + "use update(at:) or replace(at:with:), whose results say so, or append")
  }

  /// The collection, for messages.
  var name: String { label.isEmpty ? "\(noun) 0x\(String(core.address, radix: 16))" : "\(noun) \"\(label)\"" }
}
