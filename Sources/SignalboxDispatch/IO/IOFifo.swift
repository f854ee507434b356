// IOFifo.swift: first in, first out, at constant cost per element: what waits its turn on a descriptor.

struct IOFifo<Element> {
  // The front is kept reversed, so that both ends work at the end of an array.
  private var front: [Element] = []
  private var back: [Element] = []

  var isEmpty: Bool { front.isEmpty && back.isEmpty }

  mutating func append(_ element: Element) { back.append(element) }

  /// The element whose turn it is.
  var first: Element? { front.last ?? back.first }

  mutating func popFirst() -> Element? {
    if front.isEmpty {
      front = back.reversed()
      back = []
    }
    return front.popLast()
  }

  /// Takes out all that satisfy the condition, in their order.
  mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
    let all = front.reversed() + back
    front = []
    back = all.filter { !condition($0) }
    return all.filter(condition)
  }
}
