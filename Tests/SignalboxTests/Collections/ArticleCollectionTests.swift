// ArticleCollectionTests.swift: the article's own classes, used as the article uses them, on our implementation.
import Signalbox
import SignalboxArticles
import Testing

private final class Model: Sendable {
  let id: Int
  let version = Count()
  init(_ id: Int) { self.id = id }
}

@Suite("The article's thread-safe collections") struct ArticleCollectionTests {
  @Test("TSArray has every member of the article's, and each does its work")
  func array() {
    let array = TSArray(with: nil)
    array.append(1)
    array.append("two")
    array.append(3.0)
    #expect(array.count == 3)
    #expect(array[0] as? Int == 1 && array[1] as? String == "two" && array[3] == nil && array[-1] == nil)
    #expect(array.first() as? Int == 1)
    array[0] = 10
    array[1] = nil
    #expect(array[0] as? Int == 10 && array[1] as? String == "two")
    #expect(array.first(where: { (text: String) in text.count == 3 }) == "two")
    #expect(array.first(where: { (number: Int) in number > 10 }) == nil)
    #expect(array.index(where: { (number: Double) in number == 3 }) == 2)
    #expect(array.index(where: { (text: String) in text.isEmpty }) == nil)
    #expect(array.remove(at: 0) as? Int == 10)
    #expect(array.remove(at: 7) == nil)
    #expect(array.refCopyValues.count == 2)
    array.update([5, 6, 7])
    #expect(array.refCopyValues as? [Int] == [5, 6, 7])
    array.removeAll()
    #expect(array.count == 0 && array.first() == nil)
    #expect(TSArray().count == 0 && TSArray(with: "mine").count == 0)
    #expect(TSArray.DEFAULT_QUEUE_LABEL == "SyncArrayAccess")
  }

  @Test("A read sees the write before it, and a copy shares its objects")
  func arrayOrder() {
    let array = TSArray()
    for number in 0..<100 {
      array.append(Model(number))
      #expect((array[number] as? Model)?.id == number)
    }
    #expect(array.refCopyValues[3] as AnyObject === array[3] as AnyObject)
  }

  @Test("TSDictionary has every member of the article's, and each does its work")
  func dictionary() {
    let dictionary = TSDictionary()
    dictionary["a"] = 1
    dictionary["b"] = "two"
    dictionary[3] = 3
    #expect(dictionary["a"] as? Int == 1 && dictionary[3] as? Int == 3 && dictionary["z"] == nil)
    #expect(dictionary.values.count == 3 && dictionary.refCopyDict().count == 3)
    #expect(dictionary.filter { (entry: (key: String, value: Int)) in entry.value == 1 } == ["a": 1])
    #expect(dictionary.filter { (_: (key: Int, value: Int)) in true } == [3: 3])
    #expect(dictionary.first(where: { (entry: (key: String, value: String)) in entry.value == "two" })?.key == "b")
    #expect(dictionary.first(where: { (entry: (key: String, value: Double)) in entry.value == 1 }) == nil)
    dictionary["b"] = nil
    #expect(dictionary["b"] == nil)
    dictionary.removeAll()
    #expect(dictionary.values.isEmpty)
  }

  @Test("removeValue returns the value, also right after it was written")
  func removeValue() {
    let dictionary = TSDictionary()
    for number in 0..<100 {
      dictionary["key"] = number
      #expect(dictionary.removeValue(forKey: "key") as? Int == number)
      #expect(dictionary.removeValue(forKey: "key") == nil)
    }
  }

  @Test("An update replaces all; with a filter the old objects stay where the keys are the same")
  func update() {
    let dictionary = TSDictionary()
    let old = Model(1), new = Model(1), other = Model(2)
    dictionary.update(["a": old, "gone": Model(0)])
    dictionary.update(["a": new, "b": other]) { oldValue, newValue in
      #expect(oldValue as AnyObject === old && newValue as AnyObject === new)
      (oldValue as? Model)?.version.add()
    }
    #expect(dictionary["a"] as AnyObject === old && dictionary["b"] as AnyObject === other)
    #expect(old.version.value == 1 && dictionary["gone"] == nil && dictionary.values.count == 2)
    dictionary.update(["a": new])
    #expect(dictionary["a"] as AnyObject === new && dictionary.values.count == 1)
  }
}
