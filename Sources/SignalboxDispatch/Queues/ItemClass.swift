// ItemClass.swift: which class an item is served as: its own, its queue's or its submitter's. Pure. What a class means is Workers/.
import SignalboxSystem
import SignalboxWords

enum ItemClass {
  /// Who wins: the item's class or that of the queue it is submitted to. `.unspecified`: neither has one.
  ///
  /// - Parameter queue: what the queue was made with. A global queue of the default class has none of its own: it takes what comes.
  static func winner(
    item: DispatchQoS.QoSClass, _ flags: DispatchWorkItemFlags, queue: DispatchQoS.QoSClass
  ) -> DispatchQoS.QoSClass {
    let own = flags.contains(.noQoS) ? .unspecified : item
    if queue == .unspecified { return own }
    let enforces = flags.contains(.enforceQoS) && !flags.contains(.inheritQoS)
    return enforces && own.rawValue > queue.rawValue ? own : queue
  }

  /// The class as which a queue is served that was made without a class, and that an item of class `submitter` has made
  /// runnable: as urgent as that, but not more than `.userInitiated`; never less urgent than by itself, since others
  /// may submit to it meanwhile.
  static func propagated(submitter: ServiceClass?, own: ServiceClass) -> ServiceClass {
    own.raised(to: submitter.map { max($0, .initiated) })
  }
}

extension DispatchWorkItemFlags {
  /// The class that an item has which is created with these flags here and now.
  func ownClass(_ qos: DispatchQoS) -> DispatchQoS {
    guard contains(.assignCurrentContext), qos.qosClass == .unspecified, !contains(.noQoS) else { return qos }
    return Pool.worker(ThreadSlot.current)?.use { $0.servedClass }?.qos ?? qos
  }
}
