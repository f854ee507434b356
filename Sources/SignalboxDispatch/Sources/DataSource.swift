// DataSource.swift: sources whose events the program makes itself, by merging data.
//
// `pending` is what has been merged and not yet been handled; 0: nothing. Whoever turns it from 0 into something signals; a check
// takes it whole. So a merge costs one operation on one word, and a check that finds 0 calls nothing.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

final class DataCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the rest is atomic.

  /// How what is merged becomes one number.
  enum Merging {
    case add, or, replace

    fileprivate var noun: StaticString {
      switch self {
      case .add: "data add"
      case .or: "data or"
      case .replace: "data replace"
      }
    }
  }

  private let merging: Merging
  private let pending = Atomic64(0)

  init(_ merging: Merging, target: DispatchQueue) {
    self.merging = merging
    super.init(kind: merging.noun, target: target)
  }

  // seq_cst M1: comes before the signaller's check of the state word, as M2 comes after the check's change of it: see SourceCore.
  override func merge(_ value: UInt64) -> Bool {
    let old =
      switch merging {
      // seq_cst M1
      case .add: pending.addSeqCst(value)
      case .or: pending.orSeqCst(value)
      case .replace: pending.exchangeSeqCst(value)
      }
    if old == 0 && value != 0 { signalEvent() }
    return true
  }

  override func takeData() -> UInt? {
    let data = pending.exchangeSeqCst(0)  // M2
    return data == 0 ? nil : UInt(data)
  }
}

/// A source whose event data is the sum of the values added since the last event.
///
/// ```swift
/// let bytes = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "meter"))
/// let reported = DispatchSemaphore(value: 0)
/// bytes.setEventHandler { print(bytes.data, "more bytes"); reported.signal() }  // the sum since the last call
/// bytes.activate()
/// bytes.add(data: 512)
/// reported.wait()
/// bytes.cancel()
/// ```
///
/// - Note: Thread safety: any thread, concurrently.
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol, Sendable {
  /// Adds `data` to the data of the next event, with wrap-around; 0 has no effect.
  func add(data: UInt)
}
/// A source whose event data is the bitwise OR of the values since the last event.
///
/// ```swift
/// let changes = DispatchSource.makeUserDataOrSource(queue: DispatchQueue(label: "changes"))
/// let reported = DispatchSemaphore(value: 0)
/// changes.setEventHandler { print("bits", changes.data); reported.signal() }  // all bits since the last call
/// changes.activate()
/// changes.or(data: 0b101)
/// reported.wait()
/// changes.cancel()
/// ```
///
/// - Note: Thread safety: any thread, concurrently.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol, Sendable {
  /// Combines `data` with the data of the next event by bitwise OR; 0 has no effect.
  func or(data: UInt)
}
/// A source whose event data is the last value given.
///
/// ```swift
/// let progress = DispatchSource.makeUserDataReplaceSource(queue: DispatchQueue(label: "progress"))
/// let reported = DispatchSemaphore(value: 0)
/// progress.setEventHandler { print(progress.data, "percent"); reported.signal() }  // the last value
/// progress.activate()
/// progress.replace(data: 80)
/// reported.wait()
/// progress.cancel()
/// ```
///
/// - Note: Thread safety: any thread, concurrently.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol, Sendable {
  /// Makes `data` the data of the next event; 0 cancels an event that has not been handled yet.
  func replace(data: UInt)
}

extension DispatchSourceUserDataAdd {
  /// Adds `data` to the data of the next event, with wrap-around; 0 has no effect.
  public func add(data: UInt) { source.merge(data, "add(data:)") }
}
extension DispatchSourceUserDataOr {
  /// Combines `data` with the data of the next event by bitwise OR; 0 has no effect.
  public func or(data: UInt) { source.merge(data, "or(data:)") }
}
extension DispatchSourceUserDataReplace {
  /// Makes `data` the data of the next event; 0 cancels an event that has not been handled yet.
  public func replace(data: UInt) { source.merge(data, "replace(data:)") }
}

extension DispatchSource: DispatchSourceUserDataAdd, DispatchSourceUserDataOr, DispatchSourceUserDataReplace {
  /// Makes a source whose event data is the sum of the values given to `add(data:)`; a nil `queue` means the default global
  /// queue. The source is inactive.
  public class func makeUserDataAddSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataAdd {
    DispatchSource(DataCore(.add, target: target(queue)))
  }
  /// Makes a source whose event data is the bitwise OR of the values given to `or(data:)`; a nil `queue` means the default
  /// global queue. The source is inactive.
  public class func makeUserDataOrSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataOr {
    DispatchSource(DataCore(.or, target: target(queue)))
  }
  /// Makes a source whose event data is the last value given to `replace(data:)`; a nil `queue` means the default global queue.
  /// The source is inactive.
  public class func makeUserDataReplaceSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataReplace {
    DispatchSource(DataCore(.replace, target: target(queue)))
  }

  // Members of the class besides the protocols' own, so that a call through a protocol comes here without a cast.

  /// Adds `data` to the data of the next event, with wrap-around; 0 has no effect.
  ///
  /// ```swift
  /// let bytes = DispatchSource.makeUserDataAddSource(), reported = DispatchSemaphore(value: 0)
  /// bytes.setEventHandler { print(bytes.data); reported.signal() }
  /// bytes.add(data: 1)
  /// bytes.add(data: 2)
  /// bytes.activate()  // prints 3, once
  /// reported.wait()
  /// bytes.cancel()
  /// ```
  ///
  /// - Precondition: this is a data source; otherwise the program is stopped.
  public final func add(data: UInt) { merge(data, "add(data:)") }
  /// Combines `data` with the data of the next event by bitwise OR; 0 has no effect.
  ///
  /// ```swift
  /// let changes = DispatchSource.makeUserDataOrSource(), reported = DispatchSemaphore(value: 0)
  /// changes.setEventHandler { print(changes.data); reported.signal() }
  /// changes.or(data: 0b001)
  /// changes.or(data: 0b100)
  /// changes.activate()  // prints 5, once
  /// reported.wait()
  /// changes.cancel()
  /// ```
  ///
  /// - Precondition: this is a data source; otherwise the program is stopped.
  public final func or(data: UInt) { merge(data, "or(data:)") }
  /// Makes `data` the data of the next event; 0 cancels an event that has not been handled yet.
  ///
  /// ```swift
  /// let progress = DispatchSource.makeUserDataReplaceSource(), reported = DispatchSemaphore(value: 0)
  /// progress.setEventHandler { print(progress.data); reported.signal() }
  /// progress.replace(data: 40)
  /// progress.replace(data: 80)
  /// progress.activate()  // prints 80, once
  /// reported.wait()
  /// progress.cancel()
  /// ```
  ///
  /// - Precondition: this is a data source; otherwise the program is stopped.
  public final func replace(data: UInt) { merge(data, "replace(data:)") }

  /// The data of the program's making. `call` is who asks, for the message that it means nothing to another kind of source.
  package final func merge(_ data: UInt, _ call: StaticString) {
    Events.emit(.sourceMerged, core.address)
    guard core.merge(UInt64(data)) else {
      Misuse.stop(
        "\(call) is called on \(core.sourceName), whose events come from elsewhere: only data sources can be merged into")
    }
  }
}
