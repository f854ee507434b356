// SampledThreads.swift: since when each thread runs the item that it runs, as far as sampling tells: what is noted of
// threads in the tables that readers from outside find (SampleTables.swift). Nothing is noted when an item begins.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// The threads that were seen with an item. For one thread.
struct SampledThreads {
  private struct Noted: Equatable {
    let owner: UInt64
    let stamp: ItemStamp
  }
  /// By their slots.
  private var noted: [UInt64: Noted] = [:]

  /// Samples all threads, as readers from outside read them.
  mutating func sample(into tables: SampleTables) {
    let reader = ItemStampReader(.own)
    var seen: [UInt64: Noted] = [:]
    _ = ThreadTable.first { entry in
      let slot = OwnerValue.slot(of: entry.owner)
      if let stamp = reader.stamp(ofRecord: UInt64(entry.record)), ThreadTable.entry(owner: entry.owner) == entry {
        seen[slot] = Noted(owner: entry.owner, stamp: stamp)
      } else if noted[slot]?.owner == entry.owner {
        // It runs nothing, or what it runs could not be read: then the same item may be seen again.
        seen[slot] = noted[slot]
      }
      return false
    }
    for slot in noted.keys where seen[slot] == nil { tables.write(thread: slot, [0, 0, 0, 0, 0]) }
    for (slot, new) in seen where noted[slot] != new {
      // The clock is read behind the stamp: the item began before that.
      tables.write(thread: slot, [new.owner, new.stamp.progress, new.stamp.frame, new.stamp.done, Clock.uptime()])
    }
    noted = seen
  }
}
