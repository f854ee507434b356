// SanitizedWork.swift: what the C face submits for the program past the functions that the thread sanitizer stands before:
// finalizers, destructors, notifications of blocks, iterations. The sanitizer is given the order that it would see itself there.
//
// It takes two addresses of each queue, and of its target, and so on (SanitizerWords.swift), as its runtime does:
//   the object's own     what alone runs there (serial, barrier) comes before all that comes later
//   8 bytes behind it    what runs beside others comes before what later runs alone
import SignalboxSystem

extension DispatchQueue {
  /// Runs `body`, which runs in this queue's turn, as an item of it in the sanitizer's eyes.
  package final func asSanitizedItem(_ body: () -> Void) {
    guard SanitizedOrder.isWatched else { return body() }
    sanitizedWay { queue, isSerial in
      SanitizedOrder.follow(queue)
      if isSerial { SanitizedOrder.follow(queue + 8) }
    }
    body()
    sanitizedWay { queue, isSerial in SanitizedOrder.precede(isSerial ? queue : queue + 8) }
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
  package func inSanitizedOrder(on queue: DispatchQueue, after cause: UInt = 0) -> CWork {
    SanitizedOrder.isWatched ? SanitizedWork.wrap(self, queue, cause) : self
  }
}

/// Work with what the sanitizer has to know when it runs.
private final class SanitizedWork {
  private let work: CWork
  private let queue: DispatchQueue
  private let cause: UInt

  private init(_ work: CWork, _ queue: DispatchQueue, _ cause: UInt) {
    (self.work, self.queue, self.cause) = (work, queue, cause)
  }

  static func wrap(_ work: CWork, _ queue: DispatchQueue, _ cause: UInt) -> CWork {
    let box = Unmanaged.passRetained(SanitizedWork(work, queue, cause)).toOpaque()
    SanitizedOrder.precede(UInt(bitPattern: box))
    return CWork({ Unmanaged<SanitizedWork>.fromOpaque($0).takeRetainedValue().run() }, box)
  }

  private func run() {
    SanitizedOrder.follow(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    if cause != 0 { SanitizedOrder.follow(cause) }
    queue.asSanitizedItem { work.run() }
  }
}
