// QueueAttributes+C.swift: what dispatch_queue_create gets. Making the queue is QueueCreation.swift.
import SignalboxDispatch

/// Attributes of a new queue. Where a queue is created, nil means `DISPATCH_QUEUE_SERIAL`.
///
/// Thread safety: a value.
public struct dispatch_queue_attr_t: Sendable, Equatable {
  var isConcurrent = false
  var isInactive = false
  var qos = DispatchQoS.unspecified
  var frequency = DispatchQueue.AutoreleaseFrequency.inherit

  /// Whether a queue made from this by `dispatch_queue_create` may get another target while it is active.
  var allowsRetargeting: Bool { !isInactive && frequency == .inherit }
}

/// Items run one at a time, in order.
public let DISPATCH_QUEUE_SERIAL: dispatch_queue_attr_t? = nil
/// Items run at the same time, except for barriers.
public let DISPATCH_QUEUE_CONCURRENT = dispatch_queue_attr_t(isConcurrent: true)
/// Serial, and inactive until `dispatch_activate`.
public let DISPATCH_QUEUE_SERIAL_INACTIVE = dispatch_queue_attr_t(isInactive: true)
/// Concurrent, and inactive until `dispatch_activate`.
public let DISPATCH_QUEUE_CONCURRENT_INACTIVE = dispatch_queue_attr_t(isConcurrent: true, isInactive: true)
/// Serial, with an autorelease pool around every item where the system has such pools.
public let DISPATCH_QUEUE_SERIAL_WITH_AUTORELEASE_POOL = dispatch_queue_attr_t(frequency: .workItem)
/// Concurrent, with an autorelease pool around every item where the system has such pools.
public let DISPATCH_QUEUE_CONCURRENT_WITH_AUTORELEASE_POOL = dispatch_queue_attr_t(isConcurrent: true, frequency: .workItem)

/// `attr`, and inactive until `dispatch_activate`: until then the queue accepts items, runs none, and may change its target.
///
/// - Parameter attr: nil means `DISPATCH_QUEUE_SERIAL`.
/// - Note: Thread safety: any thread.
public func dispatch_queue_attr_make_initially_inactive(_ attr: dispatch_queue_attr_t?) -> dispatch_queue_attr_t {
  var result = attr ?? dispatch_queue_attr_t()
  result.isInactive = true
  return result
}

/// `attr` with a service class and a relative priority, which take precedence over those of the target queue unless they are
/// lower.
///
/// - Parameters:
///   - attr: nil means `DISPATCH_QUEUE_SERIAL`.
///   - qos_class: one of the `QOS_CLASS_` constants; `QOS_CLASS_UNSPECIFIED` removes the class.
///   - relative_priority: from 0, the highest, down to `QOS_MIN_RELATIVE_PRIORITY`.
/// - Returns: nil if the class or the priority is invalid.
/// - Note: Thread safety: any thread.
public func dispatch_queue_attr_make_with_qos_class(
  _ attr: dispatch_queue_attr_t?, _ qos_class: dispatch_qos_class_t, _ relative_priority: Int32
) -> dispatch_queue_attr_t? {
  guard let qos = DispatchQoS(qos_class, relative_priority) else { return nil }
  var result = attr ?? dispatch_queue_attr_t()
  result.qos = qos
  return result
}

/// `attr` with an autorelease frequency, which has no effect on Linux except that any but the default fixes the target: a
/// queue made from it cannot be retargeted once it is active.
///
/// - Parameters:
///   - attr: nil means `DISPATCH_QUEUE_SERIAL`.
///   - frequency: one of the `DISPATCH_AUTORELEASE_FREQUENCY_` constants.
/// - Returns: nil if the frequency is invalid.
/// - Note: Thread safety: any thread.
public func dispatch_queue_attr_make_with_autorelease_frequency(
  _ attr: dispatch_queue_attr_t?, _ frequency: dispatch_autorelease_frequency_t
) -> dispatch_queue_attr_t? {
  var result = attr ?? dispatch_queue_attr_t()
  switch frequency {
  case DISPATCH_AUTORELEASE_FREQUENCY_INHERIT: result.frequency = .inherit
  case DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM: result.frequency = .workItem
  case DISPATCH_AUTORELEASE_FREQUENCY_NEVER: result.frequency = .never
  default: return nil
  }
  return result
}

extension DispatchQoS {
  /// A class and rank given as C gives them, nil if there is none such.
  init?(_ qos_class: dispatch_qos_class_t, _ relative_priority: Int32) {
    guard let qosClass = QoSClass(rawValue: qos_class) else { return nil }
    guard (QOS_MIN_RELATIVE_PRIORITY...0).contains(relative_priority) else { return nil }
    self.init(qosClass: qosClass, relativePriority: Int(relative_priority))
  }
}
