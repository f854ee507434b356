// Fifo.swift: first in, first out, at constant cost per element. Alone: whatever has to wait its turn lies in one.
// The value of one owner, which guards it.

/// A queue of elements without a lock of its own.
@frozen
public struct Fifo<Element> {
  /// The element whose turn it is: a lone one needs no memory besides.
  @inlinable public var first: Element? { turn }
  @usableFromInline var turn: Element?
  // The front is kept reversed, so that both ends work at the end of an array.
  @usableFromInline var front: [Element] = []
  @usableFromInline var back: [Element] = []

  /// An empty one.
  @inlinable public init() { turn = nil }

  /// Whether nothing waits.
  @inlinable public var isEmpty: Bool { turn == nil }

  /// Adds an element at the end.
  @inlinable public mutating func append(_ element: Element) { if turn == nil { turn = element } else { back.append(element) } }

  /// Takes out the first element; nil if nothing waits.
  @inlinable public mutating func popFirst() -> Element? {
    if front.isEmpty, !back.isEmpty {
      front = back.reversed()
      back = []
    }
    defer { turn = front.popLast() }
    return turn
  }

  /// Takes out all that satisfy the condition, in their order.
  @inlinable public mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
    let all = (turn.map { [$0] } ?? []) + front.reversed() + back
    self = Fifo()
    for element in all where !condition(element) { append(element) }
    return all.filter(condition)
  }
}
