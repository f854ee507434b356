// SanitizerWords.swift: what the thread sanitizer reads of queues and sources in memory. Nothing of ours reads it; what the engine
// itself goes by stands in other words (DispatchQueue+Target, DispatchQueue+Width).
//
// In a program built with -sanitize=thread the sanitizer's runtime stands between the program and libdispatch's C functions. It
// learns from each queue, and from its target, and so on, whether an item comes after the others there. How far behind an
// object's address the words lie, `dispatch_queue_offsets` says (data.c in CSignalboxABI); SanitizerTests compares.
//
//   byte 16   of a queue its target, of a source its core; 0 ends the way
//   byte 24   of a queue its width: 1 serial, more concurrent, never 0
//
// Global queues give no order, so they end the way: a barrier is not to be taken for one of unrelated queues.
import SignalboxSystem
import SignalboxWords

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
