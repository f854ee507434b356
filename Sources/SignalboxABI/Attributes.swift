// Attributes.swift: queue attributes, which C passes as addresses: the address is the attribute, nothing lies there.
import CSignalboxABI
import SignalboxDispatch

/// What a new queue is to be.
struct Attribute {
  var isConcurrent = false
  var isInactive = false
  /// DISPATCH_AUTORELEASE_FREQUENCY_…: 0 inherit, 1 work item, 2 never.
  var frequency = 0
  /// The class, by its place among `classes`.
  private var classNumber = 0
  /// From 0 down to -15.
  var relativePriority = 0
  /// 0 unspecified, 1 yes, 2 no; every serial queue of ours is promised a thread anyway.
  var overcommit = 0

  private static let classes: [DispatchQoS.QoSClass] = [
    .unspecified, .background, .utility, .default, .userInitiated, .userInteractive,
  ]
  var qosClass: DispatchQoS.QoSClass {
    get { Self.classes[classNumber] }
    set { classNumber = Self.classes.firstIndex(of: newValue) ?? 0 }
  }

  init() {}

  /// NULL is a serial queue.
  init(_ handle: Handle?) {
    guard let handle else { return }
    if handle == sb_abi_attribute_concurrent() {
      isConcurrent = true
      return
    }
    var rest = sb_abi_attribute_index(handle)
    guard rest >= 0 else { CFaceSupport.stop("a queue attribute was given that no dispatch_queue_attr function made") }
    func digit(_ base: Int) -> Int {
      defer { rest /= base }
      return rest % base
    }
    isConcurrent = digit(2) == 1
    isInactive = digit(2) == 1
    frequency = digit(3)
    overcommit = digit(3)
    relativePriority = -digit(16)
    classNumber = digit(6)
  }

  var handle: Handle {
    var index = classNumber * 16 - relativePriority
    index = index * 3 + overcommit
    index = index * 3 + frequency
    index = index * 2 + (isInactive ? 1 : 0)
    index = index * 2 + (isConcurrent ? 1 : 0)
    return sb_abi_attribute(index)
  }

  var qos: DispatchQoS { DispatchQoS(qosClass: qosClass, relativePriority: relativePriority) }

  /// Whether a queue made from this by `dispatch_queue_create` may get another target while it is active.
  var allowsRetargeting: Bool { !isInactive && frequency == 0 }
}

extension DispatchQoS {
  /// A class and rank given as C gives them, nil if there is none such. The class of maintenance counts as background.
  init?(_ number: UInt32, _ relativePriority: Int32) {
    guard let qosClass = QoSClass(rawValue: number == 0x05 ? 0x09 : number), (-15...0).contains(relativePriority) else {
      return nil
    }
    self.init(qosClass: qosClass, relativePriority: Int(relativePriority))
  }
}

/// The attribute, of queues that wait for `dispatch_activate`.
@c(dispatch_queue_attr_make_initially_inactive)
public func dispatch_queue_attr_make_initially_inactive(_ attr: Handle?) -> Handle? {
  var attribute = Attribute(attr)
  attribute.isInactive = true
  return attribute.handle
}

/// The attribute, with a service class and rank in it; NULL if there is none such.
@c(dispatch_queue_attr_make_with_qos_class)
public func dispatch_queue_attr_make_with_qos_class(
  _ attr: Handle?, _ qos_class: UInt32, _ relative_priority: Int32
) -> Handle? {
  guard let qos = DispatchQoS(qos_class, relative_priority) else { return nil }
  var attribute = Attribute(attr)
  (attribute.qosClass, attribute.relativePriority) = (qos.qosClass, qos.relativePriority)
  return attribute.handle
}

/// The attribute, with a frequency, which decides nothing but whether an active queue may be retargeted; NULL for an
/// unknown one.
@c(dispatch_queue_attr_make_with_autorelease_frequency)
public func dispatch_queue_attr_make_with_autorelease_frequency(_ attr: Handle?, _ frequency: UInt) -> Handle? {
  guard frequency <= 2 else { return nil }
  var attribute = Attribute(attr)
  attribute.frequency = Int(frequency)
  return attribute.handle
}

/// The attribute, with a wish that every serial queue of ours is granted anyway.
@c(dispatch_queue_attr_make_with_overcommit)
public func dispatch_queue_attr_make_with_overcommit(_ attr: Handle?, _ overcommit: Bool) -> Handle? {
  var attribute = Attribute(attr)
  attribute.overcommit = overcommit ? 1 : 2
  return attribute.handle
}
