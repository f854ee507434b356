// ThreadSanitizer.swift: what the thread sanitizer reads of queues and sources, and the order that it is given where it
// sees none. Without the sanitizer nothing happens.
import SignalboxSystem
import SignalboxWords

// MARK: what it reads in memory

// Nothing in the engine reads it; what the engine itself goes by stands in other words (DispatchQueue+Target,
// DispatchQueue+Limits).
//
// In a program built with -sanitize=thread the sanitizer's runtime stands between the program and libdispatch's C
// functions. It learns from each queue, and from its target, and so on, whether an item comes after the others there.
// How far behind an object's address the words lie, `dispatch_queue_offsets` says (data.c in CSignalboxABI);
// SanitizerTests compares.
//
//   byte 16   of a queue its target, of a source its core; 0 ends the way
//   byte 24   of a queue its width: 1 serial, more concurrent, never 0
//
// Global queues give no order, so they end the way: a barrier is not to be taken for one of unrelated queues.

enum SanitizerOffset {
  static let target = 16
  static let width = 24
}

enum SanitizerWidth {
  static let serial: UInt16 = 1
  static let unlimited: UInt16 = .max

  static func of(_ kind: QueueKind) -> UInt16 {
    switch kind {
    case .serial, .main, .runLoop: serial
    case .concurrent, .global: unlimited
    }
  }
}

extension DispatchQueue {
  static func sanitizerBits(_ target: DispatchQueue) -> UInt64 { target.isRoot ? 0 : UInt64(target.address) }

  /// The queue has another target.
  // relaxed: the sanitizer reads it while an item of this queue runs, and the item was started after the change.
  final func tellSanitizer(target: DispatchQueue) { sanitizerTarget.storeRelaxed(DispatchQueue.sanitizerBits(target)) }

  /// The most items that the queue runs at once.
  final func tellSanitizer(width: UInt32) { sanitizerWidth = UInt16(clamping: max(1, width)) }

  /// To C, and so to the sanitizer, the queue has an address of its own.
  package final func tellSanitizer(address: UnsafeMutableRawPointer) {
    sanitizerTarget.storeRelaxed(UInt64(UInt(bitPattern: address)))  // relaxed: written before C can name it as a target
  }
}

// MARK: what the C face submits

// The C face submits work for the program past the functions that the thread sanitizer stands before: finalizers,
// destructors, notifications of blocks, iterations. The sanitizer is given the order that it would see itself there.
//
// It takes two addresses of each queue, and of its target, and so on, as its runtime does:
//   the object's own     what alone runs there (serial, barrier) comes before all that comes later
//   8 bytes behind it    what runs beside others comes before what later runs alone

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

// MARK: what the program does to an object without submitting anything

// It lets the object begin, gives it data or values, cancels it, lets go of it. The sanitizer's runtime stands before
// none of these functions, but for `dispatch_resume`.
//
// Places of an object, 8 bytes apart; a source has its core's, since its handlers are items of the core:
//   0, 1   of a queue: items that run alone, and those that run beside others (SanitizedWork)
//   2      of a queue: its values by key
//   3      of any object: its users have let go of it
// Of a descriptor that channels use:
//   0      handlers and barriers of its channels have returned: the cleanup comes after them
//   1      a barrier has returned: what was scheduled behind it comes after it
// Of a channel: 1, it was resumed or closed. Of an operation: 0, a call of its handler has returned: the next comes
// after it.

package enum SanitizedDeeds {
  private enum Place {
    static let values: UInt = 2
  }
  static let users: UInt = 3
  enum ChannelPlace {
    static let ended: UInt = 0
    static let barrier: UInt = 1
    static let deeds: UInt = 1
    static let calls: UInt = 0
  }

  /// What the calling thread has done comes before what the object runs from now on.
  package static func causes(_ object: DispatchObject) {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(object.sanitizedCause) }
  }

  /// The calling thread lets go of the object.
  package static func letsGo(of object: AnyObject) {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(object, users) }
  }

  /// The calling thread ends the object: after all that its users did while they had it, and after what ran there.
  static func ends(_ object: AnyObject) {
    if !SanitizedOrder.isWatched { return }
    for place in [0, 1, users] { SanitizedOrder.follow(object, place) }
  }

  /// The calling thread ends the object, and with it its users' part in what it is made of.
  static func hands(_ object: AnyObject, over part: AnyObject) {
    if !SanitizedOrder.isWatched { return }
    ends(object)
    letsGo(of: part)
  }

  /// A value of the queue is set; a value of the queue was found.
  static func setsValue(of queue: DispatchQueue) {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(queue, Place.values) }
  }
  static func findsValue(of queue: DispatchQueue) {
    if SanitizedOrder.isWatched { SanitizedOrder.follow(queue, Place.values) }
  }
}
