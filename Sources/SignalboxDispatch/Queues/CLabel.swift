// CLabel.swift: queue labels as C strings that live as long as their queue. For the C faces.
import SignalboxSystem

package enum CLabel {
  // SAFETY: the text of a literal, which ends in 0 and lives as long as the process.
  nonisolated(unsafe) package static let empty = UnsafeRawPointer(("" as StaticString).utf8Start)
    .assumingMemoryBound(to: CChar.self)

  /// Marks a label that is the program's own string. No address has that bit.
  static let foreign: UInt64 = 1 << 63

  /// Makes the program's own string the label of a queue that was made without one; nil for none. No effect on main and global
  /// queues.
  package static func lend(_ label: UnsafePointer<CChar>?, to queue: DispatchQueue) {
    if queue.isShared { return }
    guard queue.givenName.isEmpty else {
      Misuse.stop(
        "queue \"\(queue.givenName)\" is to get another label: only a queue made without one may (dispatch_queue_set_label_nocopy)"
      )
    }
    queue.setLateLabel(label)
  }

  /// The label of `queue`, copied at the first call and freed with the queue.
  package static func of(_ queue: DispatchQueue) -> UnsafePointer<CChar> { queue.cLabel }

  /// The label of the queue whose item is running; nil outside of any queue.
  package static func ofCurrent() -> UnsafePointer<CChar>? {
    DispatchQueue.currentReference?.use { $0.cLabel }
  }

  /// Keeps a label that is no text in UTF-8, so that C gets back the bytes it gave; messages show it mended.
  package static func keep(_ label: UnsafePointer<CChar>, at queue: DispatchQueue) {
    var count = 0
    while label[count] != 0 { count += 1 }
    queue.keepLabel(Array(UnsafeBufferPointer(start: label, count: count + 1)))
  }
}
