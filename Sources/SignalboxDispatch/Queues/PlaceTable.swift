// PlaceTable.swift: numbered places in memory that never goes, in each of which an address can stand; threads keep free ones for themselves. What
// the process's queues do with them is QueueRegistry.swift. README.md: "The register".
//
//   a place's word, taken   the address, which is even
//   a place's word, free    63 ── 55 54 ── 28 27 ── 1  0
//                             count    sheaf    next   1
//   next   the place behind it in the same list, 0: none
//   sheaf  of the first place of a sheaf that no thread has: the first place of the next such sheaf, 0: none
//   count  of the same: how many places the sheaf has
//   0      a place that was never handed out
//
//   INV-1  a place that was handed out is in one of three: taken; in one thread's list; in one sheaf
//   INV-2  only who has a place, or the list in which it is, writes its word
//   INV-3  a cache takes `most` places: `room` more than it has
import SignalboxSystem

/// A free place's word. Pure.
struct FreePlace: Equatable {
  private static let bits: UInt64 = 27, mask: UInt64 = (1 << bits) - 1
  let word: UInt64

  @inline(__always) init(word: UInt64) { self.word = word }
  @inline(__always) init(next: UInt32) { word = UInt64(next) << 1 | 1 }
  /// The first of a sheaf.
  init(next: UInt32, sheaf: UInt32, count: UInt32) {
    word = UInt64(next) << 1 | 1 | UInt64(sheaf) << (1 + Self.bits) | UInt64(count) << (1 + 2 * Self.bits)
  }

  @inline(__always) var next: UInt32 { UInt32(truncatingIfNeeded: word >> 1 & Self.mask) }
  /// The same of a place in a thread's list, whose word has nothing but that.
  @inline(__always) var nextAlone: UInt32 { UInt32(truncatingIfNeeded: word >> 1) }
  var sheaf: UInt32 { UInt32(truncatingIfNeeded: word >> (1 + Self.bits) & Self.mask) }
  var count: UInt32 { UInt32(truncatingIfNeeded: word >> (1 + 2 * Self.bits)) }
}

/// The first of the sheaves that no thread has, and how often it has changed: who was interrupted between reading and swapping does not take
/// a word for the one it has read. Pure.
struct FreeSheaves: Equatable {
  private static let bits: UInt64 = 27
  let word: UInt64

  init(word: UInt64) { self.word = word }
  var first: UInt32 { UInt32(truncatingIfNeeded: word & (1 << Self.bits - 1)) }
  func changed(to first: UInt32) -> Self { Self(word: ((word >> Self.bits) &+ 1) << Self.bits | UInt64(first)) }
}

/// A table of places.
///
/// Thread safety: any thread, each with a cache of its own; a place is given by whoever has it. No lock, so a thread that is stopped anywhere
/// keeps nobody.
struct PlaceTable: @unchecked Sendable {
  // SAFETY of @unchecked: a pointer to memory of process life, all of whose words are atomic.
  private let words: UnsafeMutablePointer<PlaceWords>

  /// How many places go from hand to hand at once, and the most that a cache takes.
  static let sheaf: UInt32 = 64, most: UInt32 = 128
  /// The first place; the first segment has as many, each further one twice as many as the one before.
  static let firstPlace: UInt32 = 1024
  /// No place is as high as that.
  static let end: UInt64 = UInt64(firstPlace) << UInt64(PlaceWords.segmentCount)

  @inline(__always) init(_ words: UnsafeMutablePointer<PlaceWords>) { self.words = words }

  // SAFETY, all: the table is C memory of process life, of 64-bit words, and an atomic word has their layout.
  private var used: UnsafeMutablePointer<UnseenWord> {
    UnsafeMutableRawPointer(words).assumingMemoryBound(to: UnseenWord.self)
  }
  private var free: UnsafeMutablePointer<UnseenWord> { used + 1 }
  @inline(__always) private var segments: UnsafeMutablePointer<UnseenWord> {
    // SAFETY: as above
    (UnsafeMutableRawPointer(words) + PlaceWords.segmentsOffset).assumingMemoryBound(to: UnseenWord.self)
  }

  /// The address of the word in which it says how many places were handed out, and of its segments.
  var addresses: (used: UInt, segments: UInt) { (UInt(bitPattern: used), UInt(bitPattern: segments)) }

  // MARK: places

  @inline(__always) private func segment(of place: UInt32) -> UnsafeMutablePointer<UnseenWord> {
    // By the highest bit's number. Written so that the processor has it in one step.
    segments + (31 ^ place.leadingZeroBitCount) - (31 ^ Self.firstPlace.leadingZeroBitCount)
  }

  /// A place's word. The place was handed out.
  @inline(__always) private func slot(_ place: UInt32) -> UnsafeMutablePointer<UnseenWord> {
    // relaxed: who knows of the place has its segment from whoever made it, by the list in which it came
    let origin = UInt(segment(of: place).pointee.loadRelaxed())
    // SAFETY: the segment lies there for the life of the process.
    return UnsafeMutableRawPointer.at(origin &+ UInt(place) &* 8).assumingMemoryBound(to: UnseenWord.self)
  }

  /// What stands in a place that was handed out; nil: nothing.
  func address(at place: UInt32) -> UInt? {
    let word = slot(place).pointee.loadAcquire()  // acquire: a moment's view, of an object that was made whole before (`take`)
    return word == 0 || word & 1 == 1 ? nil : UInt(word)
  }

  /// Puts an address into a free place of the cache's; nil if it has none.
  @inline(__always) func take(_ cache: inout PlaceCache, for address: UInt) -> UInt32? {
    let place = cache.first
    guard place != 0 else { return nil }
    let slot = slot(place)
    cache.first = FreePlace(word: slot.pointee.loadRelaxed()).nextAlone  // relaxed: the cache's own, and so this thread's
    cache.room &+= 1
    // release: who reads the address finds the object made; pairs with `address(at:)`
    slot.pointee.storeRelease(UInt64(address))
    return place
  }

  /// Frees a place into the cache; false if the cache takes no more.
  @inline(__always) func give(_ cache: inout PlaceCache, _ place: UInt32) -> Bool {
    guard cache.room != 0 else { return false }
    // release: nothing that was read of the object before is read later. What is done to it afterwards may be seen a moment before this: who
    // reads from outside comes back to the place at the end, after calls of the kernel that take longer than that.
    slot(place).pointee.storeRelease(FreePlace(next: cache.first).word)
    cache.first = place
    cache.room &-= 1
    return true
  }

  // MARK: sheaves

  /// Gets free places into a cache that has none; false: there are none.
  @inline(never) func fill(_ cache: inout PlaceCache) -> Bool {
    guard let sheaf = takeSheaf() ?? makeSheaf() else { return false }
    let first = slot(sheaf.first)
    // relaxed, both: this thread's own from here on
    first.pointee.storeRelaxed(FreePlace(next: FreePlace(word: first.pointee.loadRelaxed()).next).word)
    (cache.first, cache.room) = (sheaf.first, Self.most &- sheaf.count)
    return true
  }

  /// Makes room for a sheaf in a cache that takes no more.
  @inline(never) func spill(_ cache: inout PlaceCache) {
    let first = cache.first
    if first != 0 {
      var last = slot(first)
      // relaxed, both: the cache's own
      for _ in 1..<Self.sheaf { last = slot(FreePlace(word: last.pointee.loadRelaxed()).next) }
      cache.first = FreePlace(word: last.pointee.loadRelaxed()).next  // relaxed: as above
      last.pointee.storeRelaxed(FreePlace(next: 0).word)  // relaxed: published with the sheaf
      giveSheaf(first, Self.sheaf)
    }
    cache.room = first == 0 ? Self.most : Self.sheaf
  }

  /// All that the cache has is anybody's, and it takes no more.
  @inline(never) func empty(_ cache: inout PlaceCache) {
    if cache.first != 0 { giveSheaf(cache.first, Self.most &- cache.room) }
    cache = PlaceCache()
  }

  /// Frees a place for anybody.
  @inline(never) func giveAlone(_ place: UInt32) {
    slot(place).pointee.storeRelease(FreePlace(next: 0).word)  // release: as in `give`
    giveSheaf(place, 1)
  }

  private func giveSheaf(_ first: UInt32, _ count: UInt32) {
    let slot = slot(first), next = FreePlace(word: slot.pointee.loadRelaxed()).next  // relaxed: the caller's own
    var old = FreeSheaves(word: free.pointee.loadRelaxed())  // relaxed: the swap re-checks
    while true {
      slot.pointee.storeRelaxed(FreePlace(next: next, sheaf: old.first, count: count).word)  // relaxed: the swap publishes it
      // acquire-release: publishes the words of the sheaf; pairs with the acquire in `takeSheaf`
      let swap = free.pointee.casAcqRel(old.word, old.changed(to: first).word)
      if swap.exchanged { return }
      old = FreeSheaves(word: swap.original)
    }
  }

  private func takeSheaf() -> (first: UInt32, count: UInt32)? {
    var old = FreeSheaves(word: free.pointee.loadAcquire())  // acquire: pairs with the swap in `giveSheaf`
    while old.first != 0 {
      // relaxed: if the place is another's by now, the word is any word, and the swap fails
      let head = FreePlace(word: slot(old.first).pointee.loadRelaxed())
      // acquire-release: the words of the sheaf are there, also for who takes the next one; pairs with the swap in `giveSheaf`
      let swap = free.pointee.casAcqRel(old.word, old.changed(to: head.sheaf).word)
      if swap.exchanged { return (old.first, head.count) }
      old = FreeSheaves(word: swap.original)
    }
    return nil
  }

  /// Hands out places for the first time.
  private func makeSheaf() -> (first: UInt32, count: UInt32)? {
    // relaxed, both: a counter alone; near the end each thread may go past it once
    guard UInt64(Self.firstPlace) + used.pointee.loadRelaxed() + UInt64(Self.sheaf) <= Self.end else { return nil }
    let number = UInt64(Self.firstPlace) + used.pointee.addRelaxed(UInt64(Self.sheaf))  // relaxed: as above
    guard number + UInt64(Self.sheaf) <= Self.end else { return nil }
    let first = UInt32(number)
    // Sheaves do not lie across segments. Where the kernel has no room for one these places are lost.
    guard makeSegment(of: first) else { return nil }
    for place in first..<first + Self.sheaf {
      let next = place + 1 == first + Self.sheaf ? 0 : place + 1
      slot(place).pointee.storeRelaxed(FreePlace(next: next).word)  // relaxed: the caller's own
    }
    return (first, Self.sheaf)
  }

  /// Sees to it that the place's segment is there. Of two threads that make one, one gives its up.
  private func makeSegment(of place: UInt32) -> Bool {
    let segment = segment(of: place)
    if segment.pointee.loadAcquire() != 0 { return true }  // acquire: pairs with the swap below
    let count = 1 << (31 - place.leadingZeroBitCount)
    guard let made = Memory.mapZeros(count * 8) else { return false }
    // acquire-release: publishes the zeros; pairs with the acquire above
    let swap = segment.pointee.casAcqRel(0, UInt64(UInt(bitPattern: made) &- UInt(count * 8)))
    if !swap.exchanged { _ = try? Memory.unmap(made, count * 8) }
    return true
  }
}
