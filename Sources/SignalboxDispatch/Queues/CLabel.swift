// CLabel.swift: queue labels as C strings that live as long as their queue. For the C faces.
import SignalboxLocks

package enum CLabel {
  private static let lock = UnfairLock()
  /// The address that the C string is kept under at its queue; its contents are of no interest.
  // SAFETY: allocated once, never freed, never looked behind.
  nonisolated(unsafe) private static let key = UnsafeRawPointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
  // SAFETY: the text of a literal, which ends in 0 and lives as long as the process.
  nonisolated(unsafe) package static let empty = UnsafeRawPointer(("" as StaticString).utf8Start)
    .assumingMemoryBound(to: CChar.self)

  /// The label of `queue`, copied at the first call and freed with the queue.
  package static func of(_ queue: DispatchQueue) -> UnsafePointer<CChar> {
    guard !queue.label.isEmpty else { return empty }
    // The lock makes the look and the copy one step: a second copy would free the first while somebody reads it.
    let kept = lock.withLock { queue.rawSpecific(key: key) ?? keepCopy(at: queue) }
    return UnsafePointer(kept.assumingMemoryBound(to: CChar.self))
  }

  /// Keeps a label that is no text in UTF-8, so that C gets back the bytes it gave; messages show it mended.
  package static func keep(_ label: UnsafePointer<CChar>, at queue: DispatchQueue) {
    var count = 0
    while label[count] != 0 { count += 1 }
    lock.withLock { _ = keepCopy(of: Array(UnsafeBufferPointer(start: label, count: count + 1)), at: queue) }
  }

  private static func keepCopy(at queue: DispatchQueue) -> UnsafeMutableRawPointer {
    keepCopy(of: Array(queue.label.utf8CString), at: queue)
  }

  private static func keepCopy(of text: [CChar], at queue: DispatchQueue) -> UnsafeMutableRawPointer {
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
    _ = copy.initialize(from: text)
    let address = UnsafeMutableRawPointer(copy.baseAddress!)
    queue.setRawSpecific(key: key, value: address) { $0?.deallocate() }
    return address
  }
}
