// CollectionMisuseTests.swift: a body that uses its own collection is stopped with a message, not hung; lost writes are reported.
import Glibc
import Signalbox
import SignalboxArticles
import SignalboxTestSupport
import Testing

@Suite("Misuse of thread-safe collections is reported") struct CollectionMisuseTests {
  @Test("A body under the lock that uses the same array stops the program")
  func arrayInItself() async {
    let named = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let array = SynchronizedArray([1], label: "names")
      array.withLock { _ in array.append(2) }
    }
    expectStop(
      named, saying: "misuse: synchronized array \"names\" is used inside its own locked body",
      "work on the value that the body is given")
    let unnamed = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let array = SynchronizedArray([1])
      array.update(at: 0) { $0 = array.count }
    }
    expectStop(unnamed, saying: "misuse: synchronized array 0x")
  }

  @Test("Compound assignment and a predicate that use the same array stop the program, too")
  func otherBodies() async {
    let compound = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let array = SynchronizedArray([[1]], label: "nested")
      array[0]?.removeAll { _ in array.isEmpty }
    }
    expectStop(compound, saying: "synchronized array \"nested\" is used inside its own locked body")
    let predicate = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let array = SynchronizedArray([1], label: "filtered")
      array.removeAll { _ in array.isEmpty }
    }
    expectStop(predicate, saying: "synchronized array \"filtered\" is used inside its own locked body")
  }

  @Test("A body under the lock that uses the same dictionary stops the program")
  func dictionaryInItself() async {
    let generic = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let dictionary = SynchronizedDictionary(["a": 1], label: "ages")
      dictionary.merge(["a": 2]) { old, new in dictionary["b"] ?? old + new }
    }
    expectStop(generic, saying: "misuse: synchronized dictionary \"ages\" is used inside its own locked body")
    let article = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let dictionary = TSDictionary()
      dictionary["a"] = 1
      dictionary.update(["a": 2]) { _, _ in dictionary.removeAll() }
    }
    expectStop(article, saying: "synchronized dictionary \"SyncDictAccess\" is used inside its own locked body")
  }

  @Test("Another thread, or another collection, is not misuse")
  func innocent() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let array = SynchronizedArray([0]), other = SynchronizedArray([0])
      onThreads(4) { _ in for _ in 0..<500 { array.withLock { $0[0] += other.update(at: 0) { _ in 1 } ?? 0 } } }
      #expect(array[0] == 2_000)
    }
  }

  @Test("A write past the end changes nothing and is reported once")
  func lostWrites() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let array = SynchronizedArray([1], label: "short"), article = TSArray(with: "article")
      for index in [5, 6, -1] { array[index] = 7 }
      array[9] = nil
      article[0] = 1
      precondition(array.values == [1] && article.count == 0)
    }
    let lines = errorText(result).split(separator: "\n").filter { $0.contains("no element") }
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.contains("synchronized array \"short\" has no element 5 to set, its count is 1") == true, "\(lines)")
    #expect(lines.last?.contains("synchronized array \"article\" has no element 0 to set") == true, "\(lines)")
  }
}
