// ClosureWords.swift: what lies in closures and blocks, for reports that name the program's function where the compiler has put thunks
// before it. Which words an item has is ItemWords.swift.
//
// A thunk's context holds the closure that it calls: two words, behind the two that every object begins with. A context's words may
// mean anything else; so these are candidates, of which a report takes those that are functions. Everything is read by way of the
// kernel, which refuses what is no memory.
import SignalboxSystem

/// A closure: its function, and its context or 0.
struct ClosureWords {
  let function: UInt
  let context: UInt

  init(_ function: UInt, _ context: UInt) { (self.function, self.context) = (function, context) }

  /// The closure whose two words lie at `address`; nil if no memory is there.
  init?(at address: UInt) {
    guard let function = SafeMemory.word64(address), let context = SafeMemory.word64(address &+ 8) else { return nil }
    self.init(UInt(function), UInt(context))
  }

  /// What may be the functions that it calls in the end, from the outermost on.
  var inner: [UInt] {
    var found: [UInt] = []
    var next = inContext
    while let closure = next, found.count < 4 {
      found.append(closure.function)
      next = closure.inContext
    }
    return found
  }

  private var inContext: ClosureWords? { context == 0 ? nil : ClosureWords(at: context &+ 16) }

  /// What may be the functions of the block that the C face's closure of a work item runs: it holds an object that holds the block,
  /// with a box around it or without.
  var functionsOfWorkItem: [UInt] {
    [SafeMemory.word64(context &+ 16).map { UInt($0) }, context].compactMap { $0 }.flatMap { object -> [UInt] in
      guard let block = SafeMemory.word64(object &+ 16), block != 0 else { return [] }
      let words = BlockWords(at: UInt(block))
      return [words.function] + words.inner
    }.filter { $0 != 0 }
  }
}

/// A block: its function stands behind its flags, what it holds behind its description.
struct BlockWords {
  let function: UInt
  let inner: [UInt]

  init(at block: UInt) {
    function = SafeMemory.word64(block &+ 16).map { UInt($0) } ?? 0
    let held = ClosureWords(at: block &+ 32)
    inner = held.map { [$0.function] + $0.inner } ?? []
  }
}
