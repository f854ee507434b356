// PlaceWords.swift: the memory of the register of queues. Alone: what it means is SignalboxDispatch's to say.
// It is the process's table, and what each thread has of it (ThreadRecord.places). What the words mean says
// Queues/PlaceTable.swift.
public import CSignalbox

/// A thread's free places.
public typealias PlaceCache = sb_place_cache

/// The words of a table of places, all of them atomic.
public typealias PlaceWords = sb_places

extension PlaceWords {
  /// How many segments a table has at most.
  public static let segmentCount = Int(SB_PLACE_SEGMENTS)
  /// How far behind the table's beginning its segments stand.
  @inlinable @inline(__always) public static var segmentsOffset: Int { 64 }

  // SAFETY of the pointer: a C global of process life.
  /// The process's table.
  @inlinable @inline(__always) public static var ofQueues: UnsafeMutablePointer<PlaceWords> { sb_queue_places_address() }
}
