// MemoryPressureSource.swift: a source for how scarce memory is. Where that is learnt is MemoryPressure.swift.
import SignalboxSystem

package final class PressureCore: EventFlagsCore, @unchecked Sendable {
  // SAFETY of @unchecked: no variables of its own.

  package init(_ mask: DispatchSource.MemoryPressureEvent, target: DispatchQueue) {
    super.init(kind: "memory pressure", target: target, mask: mask.rawValue)
  }

  override func start() {
    let refusal = PressureMonitor.shared.join(ObjectIdentifier(self)) { [weak self] in
      // The level is a state: what it was before the handler checked does not matter any more.
      self?.deliver(insteadOfOthers: PressureCore.event($0).rawValue)
    }
    // Injected events come all the same.
    if let refusal { refuse(SourceRefusal("the machine's memory pressure", refusal), .staysForInjectedEvents) }
  }

  override func stop() {
    PressureMonitor.shared.leave(ObjectIdentifier(self))
    stopped()
  }

  private static func event(_ level: PressureLevel) -> DispatchSource.MemoryPressureEvent {
    switch level {
    case .normal: .normal
    case .warning: .warning
    case .critical: .critical
    }
  }
}

extension DispatchSource {
  /// Makes a source that reports when memory becomes scarce, and when it is plentiful again.
  ///
  /// Only changes are reported; if several happen while the handler is busy, the latest counts. A rise is reported within two
  /// seconds, the return to a lower level within five seconds of the last shortage.
  ///
  /// - Parameters:
  ///   - eventMask: the levels to report.
  ///   - queue: where handlers run; nil means the default global queue.
  /// - Note: The source reads the pressure stall information of the machine and of the control group, or the control group's
  ///   counters if the kernel has no such information. If none can be opened, that is reported on standard error and in
  ///   `refusal`; the source then reports injected levels only (`MemoryPressure.inject`).
  public class func makeMemoryPressureSource(
    eventMask: DispatchSource.MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure {
    ObjectKinds.makeOrStop(.memoryPressure, 0, eventMask.rawValue, queue)
  }

  /// Checks whether this machine reports memory pressure.
  ///
  /// ```swift
  /// do {
  ///   try DispatchSource.checkMemoryPressureSource()
  /// } catch {
  ///   print("only injected levels are reported:", error)
  /// }
  /// ```
  ///
  /// - Throws: a `SourceRefusal` that says why not.
  public class func checkMemoryPressureSource() throws(SourceRefusal) {
    let listener = DispatchObject()
    let refusal = PressureMonitor.shared.join(ObjectIdentifier(listener)) { _ in }
    PressureMonitor.shared.leave(ObjectIdentifier(listener))
    if let refusal { throw SourceRefusal("the machine's memory pressure", refusal) }
  }
}
