// CollectionScenarios.swift: collections behind a concurrent queue, as the article on safe collections builds them: what they guard and what they do not.
import Signalbox

enum CollectionScenarios {
  static let all: [Scenario] = [
    Scenario(
      "synced-array", "An array behind barriers, used by many threads", .collections, "F1, B3",
      article: "writing by asynchronous barriers and reading by sync makes an array safe to share",
      documents: "barriers exclude all others; a sync submitted after a barrier runs after it"
    ) { lab in
      let list = SyncedList()
      DispatchQueue.concurrentPerform(iterations: 200) { list.append($0) }
      lab.note("\(list.count) elements")
      lab.expect(Set(list.values) == Set(0..<200), "each of 200 once", "\(list.count) elements")
      list.removeAll()
      lab.expect(list.count == 0, "empty after removeAll", "\(list.count)")
      return "200 appends of several threads: none lost"
    },
    Scenario(
      "synced-array-reads-its-writes", "Element, count and copy right after a write", .collections, "F1",
      article: "the operations can be used like those of an ordinary array",
      documents: "a sync submitted after a barrier runs after it"
    ) { lab in
      let list = SyncedList()
      for number in 0..<50 {
        list.append(number)
        lab.expect(list.count == number + 1 && list[number] == number, "the element just added", "count \(list.count)")
      }
      list.remove(at: 0)
      lab.note("first element \(list[0].map { "\($0)" } ?? "none")")
      lab.expect(list[0] == 1 && list[99] == nil, "1 in front, nil past the end", "\(list.values.prefix(2))")
      return "every read saw the writes before it"
    },
    Scenario(
      "synced-array-compound", "Two threads add 1 to the same element", .collections, "F1",
      article: "one need only think of the operation, not of safety",
      documents: "a queue orders items; what lies between two items is not protected",
      errs: "reading and then writing is two operations: an addition can be lost"
    ) { lab in
      let list = SyncedList(), haveRead = Meeting(of: 2), group = DispatchGroup()
      list.append(0)
      for number in 1...2 {
        DispatchQueue.global().async(group: group) {
          let value = list[0] ?? 0
          lab.note("thread \(number) has read \(value)")
          haveRead.arrive()
          list.set(value + 1, at: 0)
        }
      }
      group.wait()
      let lost = list[0] ?? -1
      list.update { $0[0] = 0 }
      for _ in 1...2 { DispatchQueue.global().async(group: group) { list.update { $0[0] += 1 } } }
      group.wait()
      let kept = list[0] ?? -1
      lab.note("read, then write: \(lost); in one barrier: \(kept)")
      lab.expect(lost == 1, "1: an addition is lost in this interleaving", "\(lost)")
      lab.expect(kept == 2, "2 when reading and writing are one item", "\(kept)")
      return "0 + 1 + 1 made 1; as one barrier each it made 2"
    },
    Scenario(
      "synced-dictionary-update", "Replacing the contents of a dictionary while others read it", .collections, "F1, B3",
      article: "an update clears the dictionary and fills it anew, inside one barrier; readers are safe",
      documents: "a barrier runs alone: nobody sees what it leaves half done"
    ) { lab in
      let queue = DispatchQueue(label: "SyncDictAccess", attributes: .concurrent), group = DispatchGroup()
      let entries = Box(["a": 0, "b": 0]), halves = Counter()
      for round in 1...100 {
        queue.async(group: group, flags: .barrier) {
          entries.value = [:]
          if round % 25 == 0 { pause(milliseconds: 1) }
          for key in ["a", "b"] { entries.value[key] = round }
        }
        queue.async(group: group) {
          let seen = entries.value
          if seen.count != 2 || seen["a"] != seen["b"] { halves.add(1) }
        }
      }
      group.wait()
      lab.note("100 updates, 100 readers; half an update seen: \(halves.value) times")
      lab.expect(halves.value == 0, "nobody sees half an update", "\(halves.value) readers did")
      return "100 readers, none saw half an update"
    },
    Scenario(
      "synced-dictionary-remove-value", "removeValue that returns what an asynchronous barrier finds", .collections, "F1",
      article: "removeValue removes by an asynchronous barrier and returns the value it found",
      documents: "an asynchronous barrier runs later: the function returns before",
      errs: "it returns nil while readers are inside, whatever was there; a synchronous barrier is needed"
    ) { lab in
      let queue = DispatchQueue(label: "SyncDictAccess", attributes: .concurrent)
      let entries = Box(["a": 1, "b": 2]), reading = Gate(), goOn = Gate()
      queue.async {
        reading.open()
        goOn.pass()
      }
      reading.pass()
      let asynchronous = Box<Int?>(nil)
      queue.async(flags: .barrier) { asynchronous.value = entries.value.removeValue(forKey: "a") }
      let returned = asynchronous.value
      lab.note("by an asynchronous barrier: \(returned.map { "\($0)" } ?? "nil")")
      goOn.open()
      let synchronous = queue.sync(flags: .barrier) { entries.value.removeValue(forKey: "b") }
      lab.note("by a synchronous barrier: \(synchronous.map { "\($0)" } ?? "nil")")
      lab.expect(returned == nil, "nil from the asynchronous one", "a value")
      lab.expect(synchronous == 2, "2 from the synchronous one", "\(synchronous.map { "\($0)" } ?? "nil")")
      return "nil although there was a 1; the synchronous barrier gave the 2"
    },
  ]
}

/// An array behind a concurrent queue: barriers write, sync reads.
private final class SyncedList: @unchecked Sendable {
  // SAFETY of @unchecked: read in items of the queue, written in its barriers.
  private var elements: [Int] = []
  private let queue = DispatchQueue(label: "SyncArrayAccess", attributes: .concurrent)

  var count: Int { queue.sync { elements.count } }
  var values: [Int] { queue.sync { elements } }
  subscript(index: Int) -> Int? { queue.sync { index < elements.count ? elements[index] : nil } }
  func append(_ element: Int) { queue.async(flags: .barrier) { self.elements.append(element) } }
  func set(_ element: Int, at index: Int) { queue.async(flags: .barrier) { self.elements[index] = element } }
  func remove(at index: Int) { queue.async(flags: .barrier) { self.elements.remove(at: index) } }
  func removeAll() { queue.async(flags: .barrier) { self.elements.removeAll() } }
  func update(_ body: @escaping @Sendable (inout [Int]) -> Void) { queue.async(flags: .barrier) { body(&self.elements) } }
}
