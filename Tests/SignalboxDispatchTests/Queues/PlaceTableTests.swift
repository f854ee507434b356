// PlaceTableTests.swift: the table behind the register of queues: no place is lost or had twice, whatever order things come in. What queues do
// with it is QueueRegistryTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// A table of the test's own, with what stands in it as a reader from outside sees it.
private final class Table: @unchecked Sendable {
  // SAFETY of @unchecked: the words are atomic.
  let words = UnsafeMutablePointer<PlaceWords>.allocate(capacity: 1)
  let table: PlaceTable

  init() {
    words.initialize(to: PlaceWords())
    table = PlaceTable(words)
  }
  deinit {
    for place in 0..<PlaceWords.segmentCount {
      let (count, origin) = (1024 << place, segments[place])
      if origin != 0 { munmap(UnsafeMutableRawPointer(bitPattern: UInt(origin) &+ UInt(count * 8)), count * 8) }
    }
    words.deallocate()
  }

  private var segments: UnsafePointer<UInt64> { UnsafePointer(bitPattern: table.addresses.segments)! }
  func word(_ place: UInt32) -> UInt64 {
    let origin = segments[place.bitWidth - 11 - place.leadingZeroBitCount]
    return UnsafePointer<UInt64>(bitPattern: UInt(origin) &+ UInt(place) * 8)!.pointee
  }
  var sheaves: FreeSheaves { FreeSheaves(word: UnsafePointer<UInt64>(bitPattern: table.addresses.used)![1]) }

  private func list(_ first: UInt32, _ most: Int) -> [UInt32] {
    var found: [UInt32] = [], next = first
    while next != 0, found.count <= most {
      found.append(next)
      #expect(word(next) & 1 == 1, "place \(next) is free and has an address")
      next = FreePlace(word: word(next)).next
    }
    return found
  }

  /// INV-1 and INV-3: each place that was handed out is in one of the caches, in one sheaf, or in `taken`.
  func check(_ caches: [PlaceCache], _ taken: [UInt32: UInt]) {
    var all = Array(taken.keys)
    for (place, address) in taken { #expect(word(place) == UInt64(address)) }
    for cache in caches {
      let free = list(cache.first, 200)
      if cache.room > 0 || !free.isEmpty { #expect(free.count + Int(cache.room) == 128) }
      all += free
    }
    var sheaf = sheaves.first
    while sheaf != 0, all.count < 100_000 {
      let head = FreePlace(word: word(sheaf)), free = list(sheaf, 200)
      #expect(free.count == Int(head.count))
      all += free
      sheaf = head.sheaf
    }
    #expect(all.sorted() == Array(table.testsOnly_places))
  }
}

@Suite("A table of places") struct PlaceTableTests {
  @Test("A free place's word, and that of the sheaves, have room for all their numbers")
  func words() {
    let highest = UInt32(PlaceTable.end - 1)
    for next in [0, 1, highest] {
      for sheaf in [0, 1, highest] {
        for count in [0, 1, 64, 128] as [UInt32] {
          let word = FreePlace(next: next, sheaf: sheaf, count: count)
          #expect((word.next, word.sheaf, word.count) == (next, sheaf, count) && word.word & 1 == 1)
        }
      }
      #expect(FreePlace(next: next).next == next && FreePlace(next: next).sheaf == 0)
      let first = FreeSheaves(word: 0).changed(to: next), second = first.changed(to: next)
      #expect(first.first == next && second.first == next && first != second)
      #expect(FreeSheaves(word: .max).changed(to: next).first == next)
    }
    #expect(MemoryLayout<PlaceWords>.offset(of: \.segments) == PlaceWords.segmentsOffset)
  }

  /// What two threads may do.
  private enum Step: CaseIterable { case take0, take1, giveFirst0, giveLast1, giveAlone, fill0, empty0, empty1 }

  private func apply(_ step: Step, _ table: PlaceTable, _ caches: inout [PlaceCache], _ taken: inout [UInt32: UInt]) {
    func take(_ number: Int) {
      if caches[number].first == 0, !table.fill(&caches[number]) { Issue.record("no place") }
      let address = UInt(taken.count + 1) * 0x1000 + UInt(number) * 16
      guard let place = table.take(&caches[number], for: address) else {
        Issue.record("no place in a full cache")
        return
      }
      #expect(taken.updateValue(address, forKey: place) == nil, "place \(place) is had twice")
    }
    func give(_ number: Int, _ place: UInt32?) {
      guard let place else { return }
      taken[place] = nil
      if table.give(&caches[number], place) { return }
      table.spill(&caches[number])
      #expect(table.give(&caches[number], place))
    }
    switch step {
    case .take0: take(0)
    case .take1: take(1)
    case .giveFirst0: give(0, taken.keys.min())
    case .giveLast1: give(1, taken.keys.max())
    case .giveAlone:
      if let place = taken.keys.max() {
        taken[place] = nil
        table.giveAlone(place)
      }
    case .fill0: if caches[0].first == 0 { _ = table.fill(&caches[0]) }
    case .empty0: table.empty(&caches[0])
    case .empty1: table.empty(&caches[1])
    }
  }

  @Test("After every sequence of four steps each place is where it belongs")
  func everySequence() {
    let steps = Step.allCases, length = 4
    var number = 0, end = 1
    for _ in 0..<length { end *= steps.count }
    while number < end {
      let own = Table()
      var caches = [PlaceCache(), PlaceCache()], taken: [UInt32: UInt] = [:], left = number
      for _ in 0..<length {
        apply(steps[left % steps.count], own.table, &caches, &taken)
        left /= steps.count
      }
      own.check(caches, taken)
      number += 1
    }
  }

  @Test("Caches that fill up and run empty, and segments that end", arguments: 0..<8)
  func long(seed: UInt64) {
    let own = Table()
    var caches = [PlaceCache(), PlaceCache()], taken: [UInt32: UInt] = [:], random = SmallRandom(seed: seed)
    for round in 0..<12 {
      // Some thousands come, and go by turns on one thread or the other; so the first segments are used up.
      let steps: [Step] = [[.take0, .take0, .giveLast1], [.giveLast1, .giveLast1, .take0], [.take1, .giveFirst0]][round % 3]
      for _ in 0..<1500 { apply(steps[Int(random.next() % UInt64(steps.count))], own.table, &caches, &taken) }
      if random.next() % 3 == 0 { apply(.empty0, own.table, &caches, &taken) }
      own.check(caches, taken)
    }
    while !taken.isEmpty { apply(.giveFirst0, own.table, &caches, &taken) }
    for cache in caches.indices { own.table.empty(&caches[cache]) }
    own.check(caches, taken)
  }

  @Test("Places come back: what was handed out is no more than were taken at once, and a sheaf for each thread")
  func reused() {
    let own = Table()
    var caches = [PlaceCache(), PlaceCache()], taken: [UInt32: UInt] = [:]
    for _ in 0..<100 {
      for _ in 0..<300 { apply(.take0, own.table, &caches, &taken) }
      for _ in 0..<300 { apply(.giveLast1, own.table, &caches, &taken) }
    }
    #expect(own.table.testsOnly_places.count <= 300 + 3 * 128)
  }

  @Test("At the end of the table nothing is had twice, and nothing stops")
  func full() {
    let own = Table()
    // As if nearly all had been handed out.
    UnsafePointer<UnseenWord>(bitPattern: own.table.addresses.used)!.pointee.storeRelaxed(
      PlaceTable.end - UInt64(PlaceTable.firstPlace) - UInt64(PlaceTable.sheaf))
    var cache = PlaceCache(), places: Set<UInt32> = []
    #expect(own.table.fill(&cache))
    while let place = own.table.take(&cache, for: 16) { places.insert(place) }
    #expect(places.count == 64 && places.allSatisfy { UInt64($0) < PlaceTable.end })
    #expect(!own.table.fill(&cache) && !own.table.fill(&cache))
    for place in places { #expect(own.table.give(&cache, place) || cache.room == 0) }
  }

  @Test("Threads that come and go, and free what others took: in the end all places are there, each once")
  func crowd() {
    let own = Table(), handed = HandedPlaces()
    for round in 0..<20 {
      let threads = (0..<4).map { number in
        TestThread {
          var cache = PlaceCache(), random = SmallRandom(seed: UInt64(round * 4 + number))
          for turn in 0..<2000 {
            if random.next() % 2 == 0, let (place, address) = handed.take() {
              if own.table.address(at: place) != address { handed.fail() }
              if !own.table.give(&cache, place) {
                own.table.spill(&cache)
                if !own.table.give(&cache, place) { handed.fail() }
              }
              continue
            }
            let address = UInt(round << 24 | number << 20 | turn << 4) | 1 << 40
            if cache.first == 0, !own.table.fill(&cache) { handed.fail() }
            guard let place = own.table.take(&cache, for: address) else { return handed.fail() }
            handed.give(place, address)
          }
          own.table.empty(&cache)
        }
      }
      for thread in threads { thread.join() }
      #expect(handed.failures == 0)
      own.check([], handed.all)
    }
  }
}

/// Places that threads hand to one another.
private final class HandedPlaces: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `mutex`.
  private var mutex = pthread_mutex_t()
  private var places: [(UInt32, UInt)] = []
  private(set) var failures = 0

  private func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(&mutex)
    defer { pthread_mutex_unlock(&mutex) }
    return body()
  }
  func give(_ place: UInt32, _ address: UInt) { locked { places.append((place, address)) } }
  func take() -> (UInt32, UInt)? { locked { places.isEmpty ? nil : places.removeFirst() } }
  func fail() { locked { failures += 1 } }
  var all: [UInt32: UInt] { locked { Dictionary(places, uniquingKeysWith: { first, _ in first }) } }
}
