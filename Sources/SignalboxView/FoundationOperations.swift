// FoundationOperations.swift: Foundation's own operations of a process: which of them wait for one another, which were
// not started, and for which a thread waits. They know nothing of Signalbox, and Signalbox nothing of them: they are
// found from the stacks of sleeping threads, and read from outside (SwiftClass.swift). Signalbox's own operations are
// their layer's to report.
import CSignalbox
import SignalboxSystem

/// What is known of Foundation's classes of operations in a process.
package struct FoundationOperations: Sendable {
  private let memory: ReadMemory
  private let operation: SwiftClass, queue: SwiftClass?
  private let dependencies: UInt64, state: UInt64, name: UInt64, owner: UInt64, next: UInt64
  private let first: UInt64?
  /// Of an operation, the condition in which threads wait for it; of that, the C library's.
  private let condition: UInt64, inner: UInt64

  /// The symbols of the classes whose metadata is asked for.
  package static let symbols = [
    "$s10Foundation9OperationCN", "$s10Foundation11NSConditionCN", "$s10Foundation14OperationQueueCN",
  ]

  /// nil where the process has no Foundation, or one whose fields have other names.
  ///
  /// - Parameter place: where a symbol lies; nil where there is none.
  package init?(_ memory: ReadMemory, place: (String) -> UInt64?) {
    let classes = Self.symbols.map { place($0).flatMap { SwiftClass(at: $0, in: memory) } }
    guard let operation = classes[0],
      let dependencies = operation.offset(of: "__dependencies"), let state = operation.offset(of: "__state"),
      let name = operation.offset(of: "__name"), let owner = operation.offset(of: "__queue"),
      let next = operation.offset(of: "__nextOperation"), let condition = operation.offset(of: "__waitCondition"),
      let inner = classes[1]?.offset(of: "cond")
    else { return nil }
    (self.memory, self.operation, self.dependencies, self.state, self.name) = (memory, operation, dependencies, state, name)
    (self.owner, self.next, self.condition, self.inner) = (owner, next, condition, inner)
    queue = classes[2]
    first = queue?.offset(of: "__firstOperation")
  }

  /// Those of this process. Asks the loader.
  package static func own() -> FoundationOperations? {
    FoundationOperations(.own) { name in name.withCString { sb_find_symbol($0) }.map { UInt64(UInt(bitPattern: $0)) } }
  }

  /// What the operations wait for that threads wait for in these calls, a line each: a cycle, or operations that
  /// were not started and lie in no queue. Empty if there is nothing to say. `isCycle`: whether it is a cycle.
  package func lines(_ calls: [KernelCall]) -> (lines: [String], isCycle: Bool) {
    var roots: [UInt64] = []
    for call in calls { roots += awaited(in: call) }
    var seen: Set<UInt64> = []
    roots = roots.filter { seen.insert($0).inserted }
    if let cycle = cycle(from: roots) {
      let count = cycle.count == 1 ? "an operation waits for itself" : "\(cycle.count) operations wait for one another"
      let links = cycle.indices.map { "  \(title(cycle[$0])) waits for \(title(cycle[($0 + 1) % cycle.count]))" }
      return (["\(count):"] + links, true)
    }
    let lone = reachable(from: roots).filter { isLone($0) }
    return (lone.map { "\(title($0)) is in no queue and was not started" }, false)
  }

  // MARK: reading

  private static let mostObjects = 512
  /// Words of a stack that are searched, a piece at a time: what lies there is what the wait's callers have left.
  private static let depth = 2_048, piece = 128

  /// The operations that a thread waits for that sleeps in `call`: of those that its stack refers to, and of the queues
  /// there, the one in whose condition it sleeps.
  package func awaited(in call: KernelCall) -> [UInt64] {
    guard let word = call.awaitedWord else { return [] }
    var found: [UInt64] = []
    for (address, type) in objects(in: call) {
      if type.isKind(of: operation), isOpen(address) { found.append(address) }
      if let queue, let first, type.isKind(of: queue) { found += members(memory.word64(address &+ first)) }
    }
    return found.filter { isAwaited($0, at: UInt64(word)) }
  }

  /// The operations that have begun and not finished, of those to which the thread's stack refers.
  package func begun(in call: KernelCall) -> [UInt64] {
    objects(in: call).filter { $0.type.isKind(of: operation) && (stage($0.address).map { (3..<7).contains($0) } ?? false) }
      .map(\.address)
  }

  /// The objects to which the stack of a thread that sleeps in `call` refers, each once.
  private func objects(in call: KernelCall) -> [(address: UInt64, type: SwiftClass)] {
    guard call.stackPointer & 7 == 0 else { return [] }
    var found: [(UInt64, SwiftClass)] = [], seen: Set<UInt64> = [], place = UInt64(call.stackPointer)
    for _ in 0..<Self.depth / Self.piece {
      guard let words = memory.words(place, Self.piece) else { break }
      place &+= UInt64(Self.piece * 8)
      for address in words where address & 15 == 0 && address >> 47 == 0 && address > 65_536 && seen.insert(address).inserted {
        if let type = SwiftClass(ofObject: address, in: memory) { found.append((address, type)) }
      }
    }
    return found
  }

  /// Bytes of the C library's condition.
  private static let conditionSize: UInt64 = 48
  private func isAwaited(_ address: UInt64, at word: UInt64) -> Bool {
    guard let object = memory.word64(address &+ condition), object != 0, let place = memory.word64(object &+ inner) else {
      return false
    }
    return word >= place && word - place < Self.conditionSize
  }

  /// The operations of a queue, each with a reference to the next.
  private func members(_ first: UInt64?) -> [UInt64] {
    var found: [UInt64] = [], next = first
    while let address = next, address != 0, found.count < Self.mostObjects {
      guard isOperation(address) else { break }
      if isOpen(address) { found.append(address) }
      next = memory.word64(address &+ self.next)
    }
    return found
  }

  private func isOperation(_ address: UInt64) -> Bool {
    SwiftClass(ofObject: address, in: memory)?.isKind(of: operation) == true
  }

  /// Where in its life the operation is; nil if it cannot be read. The last of Foundation's eight states is "finished".
  private func stage(_ address: UInt64) -> UInt8? {
    memory.byte(address &+ state)
  }
  /// Whether it has begun and not finished.
  package func isExecuting(_ address: UInt64) -> Bool { stage(address) == 5 }
  private func isOpen(_ address: UInt64) -> Bool { stage(address).map { $0 < 7 } ?? false }

  /// It has not got anywhere, and lies in no queue, though it waits for nothing.
  private func isLone(_ address: UInt64) -> Bool {
    stage(address) == 0 && memory.word64(address &+ owner) == 0 && needs(address).isEmpty
  }

  /// What it depends on, as far as that has not finished: an array, whose elements begin 32 bytes into its object.
  private func needs(_ address: UInt64) -> [UInt64] {
    guard let array = memory.word64(address &+ dependencies), array != 0, let count = memory.word64(array &+ 16),
      count <= UInt64(Self.mostObjects)
    else { return [] }
    return (0..<count).compactMap { index in
      guard let word = memory.word64(array &+ 32 &+ index * 8), isOperation(word), isOpen(word) else { return nil }
      return word
    }
  }

  // MARK: the graph

  private func reachable(from roots: [UInt64]) -> [UInt64] {
    var found = roots, seen = Set(roots), index = 0
    while index < found.count, found.count < Self.mostObjects {
      for need in needs(found[index]) where seen.insert(need).inserted { found.append(need) }
      index += 1
    }
    return found
  }

  /// Operations each of which depends on the next, and the last on the first; nil if there is no such cycle.
  private func cycle(from roots: [UInt64]) -> [UInt64]? {
    var isDone: Set<UInt64> = []
    for root in roots where !isDone.contains(root) {
      var path = [root], left = [needs(root)]
      while let node = path.last {
        guard path.count < Self.mostObjects, let next = left[left.count - 1].popLast() else {
          isDone.insert(node)
          path.removeLast()
          left.removeLast()
          continue
        }
        if let begin = path.firstIndex(of: next) { return Array(path[begin...]) }
        guard !isDone.contains(next) else { continue }
        path.append(next)
        left.append(needs(next))
      }
    }
    return nil
  }

  /// Its name, if it was given one.
  package func name(of address: UInt64) -> String? {
    // An empty optional has no second word.
    guard let first = memory.word64(address &+ name), let second = memory.word64(address &+ name &+ 8), second != 0 else {
      return nil
    }
    return memory.text(first, second)
  }

  package func title(_ address: UInt64) -> String {
    let type = SwiftClass(ofObject: address, in: memory)?.name ?? "Operation"
    let named = name(of: address).map { "\"\($0)\" " } ?? ""
    return "operation \(named)(\(type) 0x\(String(address, radix: 16)))"
  }
}
