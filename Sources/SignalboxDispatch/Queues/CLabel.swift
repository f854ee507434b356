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

  private static func keepCopy(at queue: DispatchQueue) -> UnsafeMutableRawPointer {
    let text = queue.label.utf8CString
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
    _ = copy.initialize(from: text)
    let address = UnsafeMutableRawPointer(copy.baseAddress!)
    queue.setRawSpecific(key: key, value: address) { $0?.deallocate() }
    return address
  }
}
