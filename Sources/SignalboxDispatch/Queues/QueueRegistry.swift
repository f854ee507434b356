// QueueRegistry.swift: the register of the process's queues: each has a place in a table for as long as it lives, so that whoever reads the
// process from outside finds it. The table is PlaceTable.swift; what is counted of some queues, QueueFigures.swift. README.md: "The register".
import SignalboxSystem

enum QueueRegistry {
  @inline(__always) private static var table: PlaceTable { PlaceTable(PlaceWords.ofQueues) }

  /// Enters a queue that was just made, by its address, so that it is not counted; its place, 0 if there is none left: it is not found from
  /// outside then.
  @inline(__always) static func add(_ address: UInt) -> UInt32 {
    table.take(&ThreadSlot.current.pointee.places, for: address) ?? addSlow(address)
  }

  /// Strikes a queue that is about to go: before any of it is taken apart.
  @inline(__always) static func remove(_ place: UInt32) {
    if !table.give(&ThreadSlot.current.pointee.places, place) { removeSlow(place) }
  }

  /// The first queue comes this way, and each thread's first.
  @inline(never) private static func addSlow(_ address: UInt) -> UInt32 {
    let queue = Lent<DispatchQueue>(at: UInt64(address))  // who makes it has it
    queue.use { QueueDescription.learn(from: $0) }
    let thread = ThreadSlot.current
    // A thread keeps places if its end is noticed. Global queues are made where others may wait for them: with them nothing is begun.
    let keeps = !queue.use { $0.isShared } && thread.pointee.is_ending == 0
    if keeps {
      ThreadEnd.isNoticed
      _ = ThreadSlot.owner()
    }
    // To notice the thread may have meant to make queues.
    if thread.pointee.places.first == 0, !table.fill(&thread.pointee.places) { return 0 }
    let place = table.take(&thread.pointee.places, for: address) ?? 0
    if !keeps { table.empty(&thread.pointee.places) }
    return place
  }

  @inline(never) private static func removeSlow(_ place: UInt32) {
    let thread = ThreadSlot.current
    // What a thread whose end nobody notices had would be lost with it.
    guard thread.pointee.owner != 0, thread.pointee.is_ending == 0 else { return table.giveAlone(place) }
    ThreadEnd.isNoticed
    table.spill(&thread.pointee.places)
    _ = table.give(&thread.pointee.places, place)
  }

  /// The calling thread ends: its places are anybody's.
  static func threadEnds() { table.empty(&ThreadSlot.current.pointee.places) }

  /// Where the table lies, for who reads it from outside.
  static func describe() {
    let addresses = table.addresses
    ProcessDescription.write(.firstPlace, UInt(PlaceTable.firstPlace))
    ProcessDescription.write(.placesUsed, addresses.used)
    ProcessDescription.write(.placeSegments, addresses.segments)
  }

  /// The queues in the table, at one moment or another: for tests.
  static var testsOnly_addresses: [UInt] { table.testsOnly_addresses }
}

extension PlaceTable {
  /// What stands in the table.
  var testsOnly_addresses: [UInt] { testsOnly_places.compactMap { address(at: $0) } }
  /// The places that were handed out.
  var testsOnly_places: Range<UInt32> {
    let used = UnsafePointer<UnseenWord>.at(addresses.used).pointee.loadAcquire()  // acquire: a moment's view
    return Self.firstPlace..<Self.firstPlace + UInt32(used)
  }
}
