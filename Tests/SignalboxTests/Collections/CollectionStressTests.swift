// CollectionStressTests.swift: the shared collections under many threads; made to run under the thread sanitizer, too.
import Glibc
import Signalbox
import SignalboxArticles
import Testing

/// Adds one in two steps, and now and then lets others run between them.
private func addOne(_ number: inout Int) {
  let old = number
  if old % 16 == 0 { sched_yield() }
  number = old + 1
}

@Suite("Thread-safe collections under many threads") struct CollectionStressTests {
  @Test("Appends of eight threads all arrive, each thread's in its order")
  func appends() {
    let array = SynchronizedArray<Int>()
    onThreads(8) { thread in for number in 0..<2_000 { array.append(thread * 10_000 + number) } }
    let values = array.values
    #expect(Set(values).count == 16_000 && values.count == 16_000)
    for thread in 0..<8 {
      let own = values.filter { $0 / 10_000 == thread }
      #expect(own == own.sorted())
    }
  }

  @Test("Appends through the queues of this library to the article's array all arrive")
  func articleAppends() {
    let array = TSArray()
    DispatchQueue.concurrentPerform(iterations: 5_000) { array.append($0) }
    #expect(Set(array.refCopyValues.compactMap { $0 as? Int }) == Set(0..<5_000) && array.count == 5_000)
  }

  @Test("No addition is lost by compound assignment, update and withLock")
  func compound() {
    let array = SynchronizedArray([0, 0, 0])
    onThreads(4) { _ in
      for _ in 0..<1_000 {
        addOne(&array[0]!)
        array.update(at: 1) { addOne(&$0) }
        array.withLock { addOne(&$0[2]) }
      }
    }
    #expect(array.values == [4_000, 4_000, 4_000])
    let dictionary = SynchronizedDictionary(["there": 0])
    onThreads(4) { _ in
      for _ in 0..<1_000 {
        addOne(&dictionary["there"]!)
        addOne(&dictionary["default", default: 0])
        dictionary.update(forKey: "update", default: 0) { addOne(&$0) }
        dictionary.withLock { addOne(&$0["lock", default: 0]) }
      }
    }
    #expect(dictionary.snapshot == ["there": 4_000, "default": 4_000, "update": 4_000, "lock": 4_000])
  }

  @Test("Each element is taken out by exactly one thread")
  func takers() {
    let array = SynchronizedArray(0..<10_000), dictionary = SynchronizedDictionary<Int, Int>()
    for number in 0..<10_000 { dictionary[number] = number }
    let fromArray = SynchronizedArray<Int>(), fromDictionary = SynchronizedArray<Int>()
    onThreads(4) { _ in
      while let number = array.popLast() { fromArray.append(number) }
      for key in 0..<10_000 { if let value = dictionary.removeValue(forKey: key) { fromDictionary.append(value) } }
    }
    #expect(fromArray.count == 10_000 && Set(fromArray.values).count == 10_000)
    #expect(fromDictionary.count == 10_000 && Set(fromDictionary.values).count == 10_000)
  }

  @Test("Readers see whole states while writers replace everything")
  func wholeStates() {
    let array = SynchronizedArray<Int>(), halves = Count()
    onThreads(4) { thread in
      for round in 0..<500 {
        switch thread {
        case 0: array.replaceAll(with: Array(repeating: round, count: 1 + round % 50))
        case 1: array.removeAll { $0 % 2 == 0 }
        default:
          let seen = Array(array)  // must not ask for a count first
          if Set(seen).count > 1 { halves.add() }
          if let index = array.firstIndex(where: { $0 == round }), index < 0 { halves.add() }
        }
      }
    }
    #expect(halves.value == 0)
  }

  @Test("A sequence is copied whole while others take elements out")
  func shrinking() {
    let array = SynchronizedArray(0..<200), done = Count()
    onThreads(3) { thread in
      guard thread > 0 else {
        while done.value < 2 {
          while array.popLast() != nil {}
          array.append(contentsOf: 0..<200)
        }
        return
      }
      for _ in 0..<2_000 {
        let copy = Array(array)
        precondition(copy == Array(0..<copy.count) || copy.count > 200)
      }
      done.add()
    }
    #expect(array.count == 200)
  }

  @Test("Of several threads that want a missing value one makes it")
  func makers() {
    let dictionary = SynchronizedDictionary<Int, Witness>(), made = Count()
    onThreads(4) { _ in
      for key in 0..<500 {
        _ = dictionary.value(forKey: key) {
          made.add()
          return Witness {}
        }
      }
    }
    #expect(made.value == 500 && dictionary.count == 500)
  }

  @Test("Objects are freed once each, whoever replaces them")
  func lifetimes() {
    let freed = Count(), array = SynchronizedArray<Witness>(), dictionary = SynchronizedDictionary<Int, Witness>()
    array.append(contentsOf: (0..<8).map { _ in Witness { freed.add() } })
    onThreads(4) { thread in
      for round in 0..<1_000 {
        array[(thread + round) % 8] = Witness { freed.add() }
        dictionary[round % 8] = Witness { freed.add() }
        _ = array.first { _ in true }
        _ = dictionary.values
      }
    }
    array.removeAll()
    dictionary.removeAll()
    #expect(freed.value == 8 + 8_000)
  }
}
