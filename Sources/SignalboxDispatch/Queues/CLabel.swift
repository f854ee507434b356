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
}
