// IdentityMapTests.swift: one object for each identifier, made once, whoever asks; cycles of makings are reported.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

private final class Person: Identifiable, Sendable {
  let id: String
  init(_ id: String) { self.id = id }
}
private struct Wrong: Error, Equatable {}

@Suite("IdentityMap") struct IdentityMapTests {
  private let map = IdentityMap<String, Person>(label: "people")

  @Test("Objects are added, found under their identifier, and taken out")
  func article() {
    let ada = Person("ada"), alan = Person("alan")
    #expect(map.object(forID: "ada") == nil)
    #expect(map.addObject(ada) == nil)
    map.addObject(alan)
    #expect(map.object(forID: "ada") === ada && map.object(withID: "alan") === alan && map.count == 2)
    let other = Person("ada")
    #expect(map.addObject(other) === ada)
    #expect(map.object(forID: "ada") === other)
    #expect(Set(map.objects.map(\.id)) == ["ada", "alan"])
    #expect(map.removeObject(forID: "ada") === other && map.removeObject(forID: "ada") == nil && map.count == 1)
  }

  @Test("objectOrInsert keeps the object that is there")
  func objectOrInsert() {
    let ada = Person("ada")
    #expect(map.objectOrInsert(ada) === ada)
    #expect(map.objectOrInsert(Person("ada")) === ada)
    #expect(map.objectOrInsert(forID: "ada") { Person("ada") } === ada)
    #expect(map.count == 1)
  }

  @Test("Of many threads that ask for one identifier one makes the object, and all get it")
  func once() {
    let map = IdentityMap<Int, Witness>(), made = Count(), wrong = Count()
    onThreads(8) { _ in
      for id in 0..<200 {
        let object = map.objectOrInsert(forID: id) {
          made.add()
          if id % 20 == 0 { sched_yield() }
          return Witness {}
        }
        if map.object(forID: id) !== object { wrong.add() }
      }
    }
    #expect(made.value == 200 && wrong.value == 0 && map.count == 200)
  }

  @Test("While one object is being made others are found, added and made; it is not there yet")
  func making() {
    let map = map, ada = Person("ada")
    let object = map.objectOrInsert(forID: "ada") {
      #expect(map.object(forID: "ada") == nil && map.count == 0)
      #expect(map.removeObject(forID: "ada") == nil)
      let friend = map.objectOrInsert(forID: "alan") { Person("alan") }
      #expect(map.object(forID: "alan") === friend)
      return ada
    }
    #expect(object === ada && map.object(forID: "ada") === ada && map.count == 2)
  }

  @Test("An object added while another is being made under its identifier stays, and both get it")
  func addedMeanwhile() {
    let map = map, first = Person("ada")
    let object = map.objectOrInsert(forID: "ada") {
      map.addObject(first)
      return Person("ada")
    }
    #expect(object === first && map.object(forID: "ada") === first)
  }

  @Test("If making throws, the error is thrown to its caller and the next caller makes the object")
  func throwing() {
    #expect(throws: Wrong()) { try map.objectOrInsert(forID: "ada") { () throws(Wrong) in throw Wrong() } }
    let ada = Person("ada")
    #expect(map.objectOrInsert(forID: "ada") { ada } === ada)
    let other = IdentityMap<Int, Witness>(), tries = Count(), good = Count()
    onThreads(4) { _ in
      for id in 0..<100 {
        let object = try? other.objectOrInsert(forID: id) { () throws(Wrong) in
          if tries.add() % 2 == 1 { throw Wrong() }
          return Witness {}
        }
        if object != nil { good.add() }
      }
    }
    #expect(good.value >= 100 && other.count <= 100 && tries.value >= good.value / 4)
  }

  @Test("Threads that wait for an object sleep until it is there")
  func waiting() {
    let map = map, isMaking = Count(), asked = Count(), ada = Person("ada"), results = SynchronizedArray<Person>()
    onThreads(4) { thread in
      if thread > 0 { while isMaking.value == 0 { sched_yield() } }
      asked.add()
      let object = map.objectOrInsert(forID: "ada") {
        isMaking.add()
        while asked.value < 4 { sched_yield() }
        sleepPlainly(milliseconds: 2)  // so that the others sleep rather than find it at once; nothing rests on it
        return ada
      }
      results.append(object)
    }
    #expect(results.count == 4 && results.allSatisfy { $0 === ada } && isMaking.value == 1)
  }

  @Test("Making an object that asks for itself stops the program")
  func recursion() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let map = IdentityMap<String, Person>(label: "people")
      _ = map.objectOrInsert(forID: "ada") { map.objectOrInsert(forID: "ada") { Person("ada") } }
    }
    expectStop(result, saying: "misuse: identity map \"people\": making the object of ada asks the map for the object of ada")
  }

  @Test("Two makings that wait for one another's object are reported as a deadlock")
  func cycle() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let map = IdentityMap<Int, Witness>(), making = Count()
      onThreads(2) { thread in
        _ = map.objectOrInsert(forID: thread) {
          making.add()
          while making.value < 2 { sched_yield() }
          return map.objectOrInsert(forID: 1 - thread) { Witness {} }
        }
      }
    }
    #expect(errorText(result).lowercased().contains("deadlock"), "\(errorText(result))")
  }
}
