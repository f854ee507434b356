// Download.swift: runs the main thread's run loop while a downloader works, and reacts to what it tells the main queue.

/// Belongs to the main thread.
// SAFETY of @unchecked: the blocks that use it run on the main queue or in the main run loop.
final class Download: @unchecked Sendable {
  let downloader: Downloader
  private let isShown: Bool
  private(set) var catalogue: Catalogue?
  private(set) var board: ProgressBoard?
  private var isOver = false

  init(_ downloader: Downloader, isShown: Bool) {
    self.downloader = downloader
    self.isShown = isShown
  }

  /// Returns when all is done; false if there was no catalogue.
  func run() -> Bool {
    let silence = NotificationCenter.default.addObserver(forName: .packIsSilent, object: nil, queue: .main) { [self] message in
      if let pack = message.pack { giveUp(pack) }
    }
    defer { NotificationCenter.default.removeObserver(silence) }
    downloader.fetchCatalogue { [self] in start($0) }
    // A loop with nothing but the main queue may return early: the timer also keeps it busy.
    let pulse = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { _ in }
    defer { pulse.invalidate() }
    while !isOver { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    board?.close()
    return catalogue != nil
  }

  private func start(_ catalogue: Catalogue?) {
    guard let catalogue else { return isOver = true }
    self.catalogue = catalogue
    board = ProgressBoard(catalogue, isShown: isShown)
    downloader.start(catalogue)
    downloader.work.notify(queue: .main) { [self] in isOver = true }
  }

  private func giveUp(_ name: String) {
    guard let pack = catalogue?.packs.first(where: { $0.name == name }) else { return }
    board?.giveUp(pack)
    downloader.giveUp(pack)
  }
}
