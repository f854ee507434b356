// DeepCopiesTests.swift: deep copies hold copies of what can be copied, and share the rest.
import Foundation
import SignalboxArticles
import SignalboxFoundation
import Testing

private final class Model: NSObject, NSCopying {
  let name: String
  init(_ name: String) { self.name = name }
  func copy(with zone: NSZone? = nil) -> Any { Model(name) }
}
private final class Plain {}

@Suite("Deep copies of thread-safe collections") struct DeepCopiesTests {
  @Test("A deep copy of an array copies what can be copied")
  func array() {
    let array = TSArray(), model = Model("a"), plain = Plain()
    array.update([model, plain, 3])
    let copies = array.deepCopyValues
    #expect((copies[0] as? Model)?.name == "a" && copies[0] as? Model !== model)
    #expect(copies[1] as? Plain === plain && copies[2] as? Int == 3 && copies.count == 3)
    #expect(array.refCopyValues[0] as? Model === model)
  }

  @Test("A deep copy of a dictionary copies what can be copied, under the same keys")
  func dictionary() {
    let dictionary = TSDictionary(), model = Model("a"), plain = Plain()
    dictionary.update(["model": model, "plain": plain])
    let copies = dictionary.deepCopyDict()
    #expect((copies["model"] as? Model)?.name == "a" && copies["model"] as? Model !== model)
    #expect(copies["plain"] as? Plain === plain && copies.count == 2)
    #expect(dictionary.deepCopyValues.compactMap { $0 as? Model }.allSatisfy { $0 !== model })
    #expect(dictionary.deepCopyValues.count == 2)
  }
}
