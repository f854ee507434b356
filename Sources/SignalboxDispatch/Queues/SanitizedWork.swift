// SanitizedWork.swift: what the C face submits for the program past the functions that the thread sanitizer stands before:
// finalizers, destructors, notifications of blocks, iterations. The sanitizer is given the order that it would see itself there.
//
// It takes two addresses of each queue, and of its target, and so on (SanitizerWords.swift), as its runtime does:
//   the object's own     what alone runs there (serial, barrier) comes before all that comes later
//   8 bytes behind it    what runs beside others comes before what later runs alone
import SignalboxSystem

extension DispatchQueue {
  /// Runs `body`, which runs in this queue's turn, as an item of it in the sanitizer's eyes. A barrier is one on the queue's targets too, as
  /// it is to the sanitizer's runtime.
  package final func asSanitizedItem(isBarrier: Bool = false, _ body: () -> Void) {
    guard SanitizedOrder.isWatched else { return body() }
    sanitizedWay { queue, isSerial in
      SanitizedOrder.follow(queue)
      if isSerial || isBarrier { SanitizedOrder.follow(queue + 8) }
    }
    body()
    sanitizedWay { queue, isSerial in SanitizedOrder.precede(isSerial || isBarrier ? queue : queue + 8) }
  }

  /// Calls `body` with this queue and its targets up to the end, as the sanitizer goes; the last may be C's address of the main queue.
  private final func sanitizedWay(_ body: (_ queue: UInt, _ isSerial: Bool) -> Void) {
    var address = address
    // SAFETY: the words of queues that an item runs on, which live as long as it does; C's main queue has them as well.
    while let object = UnsafeRawPointer(bitPattern: address) {
      body(address, object.load(fromByteOffset: SanitizerOffset.width, as: UInt16.self) == SanitizerWidth.serial)
      address = object.load(fromByteOffset: SanitizerOffset.target, as: UInt.self)
    }
  }
}

extension CWork {
  /// The same work, after all that the calling thread has done, and after what was let `precede` the address `cause`; and as an item of
  /// `queue`, where it is submitted. Without the sanitizer, the work itself. To be run once.
  package func inSanitizedOrder(on queue: DispatchQueue, after cause: UInt = 0, isBarrier: Bool = false) -> CWork {
    SanitizedOrder.isWatched ? SanitizedWork.wrap(self, queue, cause, isBarrier) : self
  }
}

extension DispatchWorkItem {
  /// The item itself; under the sanitizer one that runs it, in the order of `CWork.inSanitizedOrder`. To be submitted once.
  package func inSanitizedOrder(on queue: DispatchQueue, after cause: UInt) -> DispatchWorkItem {
    guard SanitizedOrder.isWatched else { return self }
    let item = Unmanaged.passRetained(self).toOpaque()
    let work = CWork({ Unmanaged<DispatchWorkItem>.fromOpaque($0).takeRetainedValue().perform() }, item)
      .inSanitizedOrder(on: queue, after: cause, isBarrier: isBarrier)
    return DispatchWorkItem(qos: qos, flags: flags) { work.run() }
  }
}

/// Work with what the sanitizer has to know when it runs.
private final class SanitizedWork {
  private let work: CWork
  private let queue: DispatchQueue
  private let cause: UInt
  private let isBarrier: Bool

  private init(_ work: CWork, _ queue: DispatchQueue, _ cause: UInt, _ isBarrier: Bool) {
    (self.work, self.queue, self.cause, self.isBarrier) = (work, queue, cause, isBarrier)
  }

  static func wrap(_ work: CWork, _ queue: DispatchQueue, _ cause: UInt, _ isBarrier: Bool) -> CWork {
    let box = Unmanaged.passRetained(SanitizedWork(work, queue, cause, isBarrier)).toOpaque()
    SanitizedOrder.precede(UInt(bitPattern: box))
    return CWork({ Unmanaged<SanitizedWork>.fromOpaque($0).takeRetainedValue().run() }, box)
  }

  private func run() {
    SanitizedOrder.follow(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    if cause != 0 { SanitizedOrder.follow(cause) }
    queue.asSanitizedItem(isBarrier: isBarrier) { work.run() }
  }
}
