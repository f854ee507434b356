// IOFifo.swift: first in, first out, at constant cost per element: what waits its turn on a descriptor.

struct IOFifo<Element> {
  /// The element whose turn it is: a lone one needs no memory besides.
  private(set) var first: Element?
  // The front is kept reversed, so that both ends work at the end of an array.
  private var front: [Element] = []
  private var back: [Element] = []

  var isEmpty: Bool { first == nil }

  mutating func append(_ element: Element) { if first == nil { first = element } else { back.append(element) } }

  mutating func popFirst() -> Element? {
    if front.isEmpty, !back.isEmpty {
      front = back.reversed()
      back = []
    }
    defer { first = front.popLast() }
    return first
  }

  /// Takes out all that satisfy the condition, in their order.
  mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
    let all = (first.map { [$0] } ?? []) + front.reversed() + back
    self = IOFifo()
    for element in all where !condition(element) { append(element) }
    return all.filter(condition)
  }
}
