// ProgressBoard.swift: how far everything is: a progress with a child for each pack, fed by notifications, shown by a timer.

/// Belongs to the main queue.
// SAFETY of @unchecked: everything is used on the main queue; the initialiser runs before anybody posts.
final class ProgressBoard: @unchecked Sendable {
  private let total: Progress
  private var packs: [String: Progress] = [:]
  private var tokens: [any NSObjectProtocol] = []
  private var display: Timer?
  private(set) var notifications = 0

  init(_ catalogue: Catalogue, isShown: Bool) {
    total = Progress(totalUnitCount: Int64(catalogue.packs.count))
    for pack in catalogue.packs {
      let child = Progress(totalUnitCount: Int64(pack.documents.count))
      total.addChild(child, withPendingUnitCount: 1)
      packs[pack.name] = child
    }
    tokens = [
      NotificationCenter.default.addObserver(forName: .documentStored, object: nil, queue: .main) { [weak self] message in
        if let pack = message.pack { self?.advance(pack) }
      }
    ]
    if isShown { show() }
  }

  /// Nothing more will come from this pack.
  func giveUp(_ pack: Pack) {
    dispatchPrecondition(condition: .onQueue(.main))
    packs[pack.name]?.cancel()
  }

  func close() {
    tokens.forEach(NotificationCenter.default.removeObserver)
    display?.invalidate()
  }

  /// Packs in alphabetical order with what they came to, and how much of the whole that is.
  var summary: (packs: [String], fraction: Double) {
    let lines = packs.sorted { $0.key < $1.key }.map { name, progress in
      let state = progress.isCancelled ? "given up" : progress.isFinished ? "whole" : "under way"
      return "\(name) \(state) \(progress.completedUnitCount)/\(progress.totalUnitCount)"
    }
    return (lines, total.fractionCompleted)
  }

  private func advance(_ pack: String) {
    dispatchPrecondition(condition: .onQueue(.main))
    notifications += 1
    packs[pack]?.completedUnitCount += 1
  }

  private func show() {
    let timer = Timer(timeInterval: 0.05, repeats: true) { [weak self] _ in
      guard let self else { return }
      Console.complain("\(Int(total.fractionCompleted * 100)) %, \(notifications) documents")
    }
    timer.tolerance = 0.02
    RunLoop.main.add(timer, forMode: .common)
    display = timer
  }
}
