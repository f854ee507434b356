// SynchronizedDictionaryTests.swift: what each operation of the shared dictionary does. Threads are CollectionStressTests.swift.
import Signalbox
import Testing

private struct Wrong: Error, Equatable { let code: Int }

@Suite("SynchronizedDictionary") struct SynchronizedDictionaryTests {
  private let ages = SynchronizedDictionary(["Ada": 36, "Alan": 41], label: "ages")

  @Test("Entries are read by their keys, and counted")
  func reading() {
    #expect(ages.count == 2 && !ages.isEmpty && ages.label == "ages")
    #expect(ages["Ada"] == 36 && ages["Grace"] == nil && ages["Grace", default: 7] == 7)
    #expect(ages.contains(key: "Alan") && !ages.contains(key: "Grace"))
    #expect(ages.keys.sorted() == ["Ada", "Alan"] && ages.values.sorted() == [36, 41])
    #expect(ages.snapshot == ["Ada": 36, "Alan": 41])
    let empty = SynchronizedDictionary<Int, Int>()
    #expect(empty.isEmpty && empty.count == 0 && empty.keys.isEmpty && empty.values.isEmpty && "\(empty)" == "[:]")
  }

  @Test("removeValue returns the value that was there")
  func removeValue() {
    #expect(ages.removeValue(forKey: "Ada") == 36)
    #expect(ages.removeValue(forKey: "Ada") == nil)
    #expect(ages.snapshot == ["Alan": 41])
  }

  @Test("Entries are set, changed and taken out")
  func changing() {
    ages["Grace"] = 85
    ages["Ada"] = nil
    #expect(ages.updateValue(42, forKey: "Alan") == 41 && ages.updateValue(1, forKey: "New") == nil)
    #expect(ages.snapshot == ["Grace": 85, "Alan": 42, "New": 1])
    #expect(ages.removeAll { $0.value < 50 } == 2)
    #expect(ages.replaceAll(with: ["A": 1]) == ["Grace": 85])
    #expect(ages.removeAll() == ["A": 1] && ages.isEmpty)
  }

  @Test("Compound assignment works on the entry itself")
  func subscripts() {
    ages["Ada"]? += 1
    ages["Grace"]? += 1
    ages["Alan", default: 0] += 1
    ages["New", default: 5] += 1
    #expect(ages.snapshot == ["Ada": 37, "Alan": 42, "New": 6])
    let lists = SynchronizedDictionary<Int, [Int]>()
    for number in 0..<10 { lists[number % 2, default: []].append(number) }
    #expect(lists[0] == [0, 2, 4, 6, 8] && lists[1] == [1, 3, 5, 7, 9])
  }

  @Test("An entry is changed in one step; a missing one is left out or made")
  func update() {
    #expect(
      ages.update(forKey: "Ada") { value in
        defer { value = 1 }; return value
      } == 36)
    #expect(ages.update(forKey: "Grace") { $0 += 1 } == nil && ages["Grace"] == nil)
    #expect(
      ages.update(forKey: "Grace", default: 80) { value -> Int in
        value += 5; return value
      } == 85)
    #expect(ages.snapshot == ["Ada": 1, "Alan": 41, "Grace": 85])
    #expect(ages.value(forKey: "Ada") { 99 } == 1 && ages.value(forKey: "Zoe") { 99 } == 99 && ages["Zoe"] == 99)
    let count = ages.withLock { entries -> Int in
      entries["Ada"] = nil
      return entries.count
    }
    #expect(count == 3)
  }

  @Test("Merging adds entries; a filter chooses where both have the key")
  func merge() {
    ages.merge(["Ada": 1, "Grace": 2])
    #expect(ages.snapshot == ["Ada": 1, "Alan": 41, "Grace": 2])
    ages.merge(["Ada": 10, "Zoe": 3]) { old, new in old + new }
    #expect(ages.snapshot == ["Ada": 11, "Alan": 41, "Grace": 2, "Zoe": 3])
  }

  @Test("After a body has thrown the dictionary is whole and free, and the error keeps its type")
  func throwing() {
    #expect(throws: Wrong(code: 1)) {
      try ages.merge(["New": 0, "Ada": 0, "Alan": 0, "More": 0]) { _, _ throws(Wrong) in throw Wrong(code: 1) }
    }
    #expect(throws: Wrong(code: 2)) { try ages.removeAll { _ throws(Wrong) in throw Wrong(code: 2) } }
    #expect(throws: Wrong(code: 3)) { try ages.value(forKey: "New") { () throws(Wrong) in throw Wrong(code: 3) } }
    #expect(throws: Wrong(code: 4)) { try ages.update(forKey: "Ada") { _ throws(Wrong) in throw Wrong(code: 4) } }
    #expect(ages.snapshot == ["Ada": 36, "Alan": 41], "all or nothing")
    #expect(throws: Wrong(code: 5)) {
      try ages.withLock { entries throws(Wrong) in
        entries["Ada"] = 0
        throw Wrong(code: 5)
      }
    }
    #expect(throws: Wrong(code: 6)) { try ages.update(forKey: "New", default: 1) { _ throws(Wrong) in throw Wrong(code: 6) } }
    #expect(ages.snapshot == ["Ada": 0, "Alan": 41, "New": 1], "what was done before the throw is done")
  }

  @Test("A synchronized dictionary is a sequence, with loops, filter and searching")
  func sequence() {
    #expect(ages.filter { $0.value > 40 } == ["Alan": 41])
    #expect(ages.first { $0.value > 40 }?.key == "Alan")
    #expect(ages.mapValues { $0 * 2 } == ["Ada": 72, "Alan": 82])
    #expect(ages.compactMapValues { $0 > 40 ? $0 : nil } == ["Alan": 41])
    #expect(ages.map(\.value).sorted() == [36, 41])
    #expect(ages.underestimatedCount == 0, "counted in another step than copied, it would be too high by then")
    for (key, value) in ages { ages[key + "!"] = value }
    #expect(ages.count == 4)
  }

  @Test("A copy has the same entries and changes independently")
  func copies() {
    let other = ages.copy()
    other["Ada"] = nil
    ages["Alan"] = nil
    #expect(other.snapshot == ["Alan": 41] && ages.snapshot == ["Ada": 36] && other.label == "ages")
  }

  @Test("The deinit of a removed value may use the dictionary")
  func lastWords() {
    let witnesses = SynchronizedDictionary<Int, Witness>()
    let counts = SynchronizedArray<Int>()
    for key in 0..<6 { witnesses[key] = Witness { [unowned witnesses] in counts.append(witnesses.count) } }
    witnesses[0] = Witness {}
    witnesses[1] = nil
    witnesses.removeValue(forKey: 2)
    witnesses.removeAll { $0.key == 3 }
    witnesses.replaceAll(with: [:])
    #expect(counts.values == [6, 5, 4, 3, 0, 0])
  }
}
