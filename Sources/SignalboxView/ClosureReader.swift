// ClosureReader.swift: what lies in closures and blocks, for reports that name the program's function where the
// compiler has put thunks before it.
//
// A thunk's context holds the closure that it calls: two words, behind the two that every object begins with. A
// context's words may mean anything else; so these are candidates, of which a report takes those that are functions.
import SignalboxWords

package struct ClosureReader: Sendable {
  private let memory: ReadMemory

  package init(_ memory: ReadMemory = .own) { self.memory = memory }

  private func word(_ address: UInt) -> UInt? { memory.word64(UInt64(address)).map { UInt($0) } }

  /// The closure whose two words lie at `address`; nil if no memory is there.
  package func closure(at address: UInt) -> (function: UInt, context: UInt)? {
    guard let function = word(address), let context = word(address &+ 8) else { return nil }
    return (function, context)
  }

  /// What may be the functions that a closure with this context calls in the end, from the outermost on.
  package func inner(_ context: UInt) -> [UInt] {
    var found: [UInt] = [], next = context
    while next != 0, found.count < 4, let closure = closure(at: next &+ 16) {
      found.append(closure.function)
      next = closure.context
    }
    return found
  }

  /// A block: its function stands behind its flags, what it holds behind its description.
  package func block(_ block: UInt) -> (function: UInt, inner: [UInt]) {
    let held = closure(at: block &+ 32)
    return (word(block &+ 16) ?? 0, held.map { [$0.function] + inner($0.context) } ?? [])
  }

  /// What may be the functions of the block that the C face's closure of a work item runs: it holds an object that
  /// holds the block, with a box around it or without.
  package func functions(ofWorkItemWith context: UInt) -> [UInt] {
    [word(context &+ 16), context].compactMap { $0 }.flatMap { object -> [UInt] in
      guard let held = word(object &+ 16), held != 0 else { return [] }
      let block = block(held)
      return [block.function] + block.inner
    }.filter { $0 != 0 }
  }

  /// What an object that may be the context of a thunk before an async closure leads to.
  package func asyncClosure(_ context: UInt) -> [UInt] { Self.places.compactMap { asyncFunction(at: context &+ $0) } }

  /// How far into such an object the closure lies first; nil: none lies there.
  package func placeOfAsyncClosure(_ context: UInt) -> UInt? { Self.places.first { asyncFunction(at: context &+ $0) != nil } }

  private static let places: [UInt] = [24, 16]

  /// The function of an async closure whose first word lies at `address`: that word leads to its description.
  private func asyncFunction(at address: UInt) -> UInt? { word(address).flatMap { asyncFunction(described: $0) } }

  /// The function that a description names, which begins with the distance from there.
  package func asyncFunction(described place: UInt) -> UInt? {
    // Behind the distance stands the size of the function's frame.
    guard place != 0, let words = word(place), (16...Self.mostFrame).contains(words >> 32) else { return nil }
    return place &+ UInt(bitPattern: Int(Int32(truncatingIfNeeded: words)))
  }
  private static let mostFrame: UInt = 1 << 20
}
