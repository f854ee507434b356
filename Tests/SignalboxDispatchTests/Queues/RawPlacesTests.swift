// RawPlacesTests.swift: words under C keys: four places that are read without a lock, and what comes after them.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Queue-specific values under C keys") struct RawPlacesTests {
  @Test("Each of the first four keys has its place forever; the fifth has none")
  func places() {
    let places = RawPlaces()
    func word(_ key: UInt64) -> UInt64? { if case .word(let word) = places.word(key) { word } else { nil } }
    func set(_ key: UInt64, _ word: UInt64) -> Bool { places.setAssumingLocked(key, word) }
    #expect(word(8) == 0)
    for key in 1...4 as ClosedRange<UInt64> { #expect(set(key * 8, key)) }
    #expect(!set(40, 5))
    #expect((1...4).allSatisfy { word($0 * 8) == $0 } && word(40) == nil)
    #expect(set(16, 0) && set(24, 33))
    #expect(word(16) == 0 && word(24) == 33 && word(40) == nil)
    #expect(!set(40, 5))
    #expect(set(16, 7) && word(16) == 7)
  }

  @Test("A queue keeps any number of words, replaces and removes them, and destroys each once", arguments: 1...7)
  func words(count: Int) {
    let destroyed = Count()
    let keys = (0..<count).map { UnsafeRawPointer(bitPattern: 0x1000 + $0 * 16)! }
    let value = Unmanaged.passUnretained(destroyed).toOpaque()
    let destructor: CFunction = { Unmanaged<Count>.fromOpaque($0!).takeUnretainedValue().add() }
    do {
      let queue = DispatchQueue(label: "words")
      for key in keys { queue.setRawSpecific(key: key, value: value, destructor: destructor) }
      #expect(keys.allSatisfy { queue.rawSpecific(key: $0) == value })
      queue.setRawSpecific(key: keys[0], value: nil, destructor: nil)
      #expect(queue.rawSpecific(key: keys[0]) == nil)
      queue.setRawSpecific(key: keys[0], value: value, destructor: destructor)
      #expect(queue.sync { keys.allSatisfy { DispatchQueue.currentRawSpecific(key: $0) == value } })
    }
    #expect(eventually { destroyed.value == UInt64(count + 1) })
  }

  @Test("A label asked for by many threads at once is one copy")
  func label() {
    let queue = DispatchQueue(label: "a label that is longer than fifteen bytes")
    let seen = Count()
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      let address = UInt64(UInt(bitPattern: CLabel.of(queue)))
      if seen.value == 0 { seen.value = address }
    }
    #expect(seen.value == UInt64(UInt(bitPattern: CLabel.of(queue))))
    #expect(String(cString: CLabel.of(queue)) == queue.label)
  }
}
