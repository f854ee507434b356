// RunningItem+Thread.swift: which item a thread runs, from the words beside the frame of its drain (DrainFrame.swift).
import SignalboxSystem
import SignalboxView

extension RunningItem {
  /// The item that the thread `entry`, which stands still unless it `mayMove`, runs: of its innermost drain. nil if it
  /// drains nothing.
  package static func current(_ entry: ThreadTable.Entry, mayMove: Bool = false) -> RunningItem? {
    var found: RunningItem?
    entry.forEachFrame { frame, place in
      guard frame.kind.isDrain else { return true }
      found = DrainFrame.item(ofFrameAt: place).flatMap { ItemReader.own.item($0, in: mayMove ? nil : frame) }
      return false
    }
    return found
  }
}

extension ItemReader {
  /// Of this process's items.
  package static var own: ItemReader { ItemReader(.own, areOfOneImage: MappedImages.areInOne) }
}
