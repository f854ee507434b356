// CLabel.swift: queue labels as C strings that live as long as their queue. For the C faces.

package enum CLabel {
  // SAFETY: the text of a literal, which ends in 0 and lives as long as the process.
  nonisolated(unsafe) package static let empty = UnsafeRawPointer(("" as StaticString).utf8Start)
    .assumingMemoryBound(to: CChar.self)

  /// The label of `queue`, copied at the first call and freed with the queue.
  package static func of(_ queue: DispatchQueue) -> UnsafePointer<CChar> { queue.cLabel }

  /// The label of the queue whose item is running; nil outside of any queue.
  package static func ofCurrent() -> UnsafePointer<CChar>? {
    DispatchQueue.currentReference?._withUnsafeGuaranteedRef { $0.cLabel }
  }

  /// Keeps a label that is no text in UTF-8, so that C gets back the bytes it gave; messages show it mended.
  package static func keep(_ label: UnsafePointer<CChar>, at queue: DispatchQueue) {
    var count = 0
    while label[count] != 0 { count += 1 }
    queue.keepLabel(Array(UnsafeBufferPointer(start: label, count: count + 1)))
  }
}
