// Display.swift: what everybody in the bank sees. It is the main queue's.

// SAFETY of @unchecked: what is shown belongs to the main queue.
final class Display: @unchecked Sendable {
  private let journal: Journal
  private var shown = 0

  init(_ journal: Journal) { self.journal = journal }

  func refresh(_ group: DispatchGroup) { DispatchQueue.main.async(group: group) { self.show() } }

  /// The first fault: a blocking call on the main queue. While the journal is being written nothing else happens on the screen.
  private func show() { shown = journal.total() }
}
