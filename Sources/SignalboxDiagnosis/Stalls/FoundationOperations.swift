// FoundationOperations.swift: Foundation's own operations of a program that stands still: which of them wait for one another, and which
// nothing starts. They know nothing of Signalbox, and Signalbox nothing of them: they are found from the stacks of sleeping threads, and
// read from outside (SwiftClass.swift). Signalbox's own operations are their layer's to report.
import SignalboxSystem

/// What is known of Foundation's classes of operations, found once: searching asks the loader, whose lock a stuck thread may hold.
struct FoundationOperations: Sendable {
  /// Those of this program; searched for by the stall detector's thread as it begins.
  static let known = FoundationOperations()

  private let operation: SwiftClass, queue: SwiftClass?
  private let dependencies: UInt, state: UInt, name: UInt, owner: UInt, next: UInt
  private let first: UInt?
  /// Of an operation, the condition in which threads wait for it; of that, the C library's.
  private let condition: UInt, inner: UInt

  /// nil where the program has no Foundation, or one whose fields have other names.
  init?() {
    guard let operation = SwiftClass(symbol: "$s10Foundation9OperationCN"),
      let dependencies = operation.offset(of: "__dependencies"), let state = operation.offset(of: "__state"),
      let name = operation.offset(of: "__name"), let owner = operation.offset(of: "__queue"),
      let next = operation.offset(of: "__nextOperation"), let condition = operation.offset(of: "__waitCondition"),
      let inner = SwiftClass(symbol: "$s10Foundation11NSConditionCN")?.offset(of: "cond")
    else { return nil }
    (self.operation, self.dependencies, self.state, self.name) = (operation, dependencies, state, name)
    (self.owner, self.next, self.condition, self.inner) = (owner, next, condition, inner)
    queue = SwiftClass(symbol: "$s10Foundation14OperationQueueCN")
    first = queue?.offset(of: "__firstOperation")
  }

  /// What the operations wait for that the sleeping `threads` wait for, in lines of a report: a cycle, or operations that nothing starts.
  /// Empty if there is nothing to say. `isCycle`: whether it is a cycle.
  func lines(_ threads: [Int32]) -> (lines: [String], isCycle: Bool) {
    var roots: [UInt] = []
    for thread in threads { roots += awaited(by: thread) }
    var seen: Set<UInt> = []
    roots = roots.filter { seen.insert($0).inserted }
    if let cycle = cycle(from: roots) {
      let count = cycle.count == 1 ? "an operation waits for itself" : "\(cycle.count) operations wait for one another"
      let links = cycle.indices.map { "    \(title(cycle[$0])) waits for \(title(cycle[($0 + 1) % cycle.count]))" }
      return (["  \(count):"] + links, true)
    }
    let lone = reachable(from: roots).filter { isLone($0) }
    return (lone.map { "  \(title($0)) is in no queue and was not started: nothing starts it" }, false)
  }

  // MARK: reading

  private static let mostObjects = 512
  /// Bytes of a stack that are searched: what lies there is what the wait's callers have left.
  private static let depth: UInt = 16_384

  /// The operations that a sleeping thread waits for: of those that its stack refers to, and of the queues there, the one in whose
  /// condition it sleeps.
  private func awaited(by thread: Int32) -> [UInt] {
    guard let call = KernelCall(of: thread), call.stackPointer & 7 == 0 else { return [] }
    var found: [UInt] = [], seen: Set<UInt> = []
    for place in stride(from: call.stackPointer, to: call.stackPointer + Self.depth, by: 8) {
      guard let word = SafeMemory.word64(place) else { break }
      let address = UInt(word)
      guard word & 15 == 0, word >> 47 == 0, word > 65_536, seen.insert(address).inserted,
        let type = SwiftClass(ofObject: address)
      else { continue }
      if type.isKind(of: operation), isOpen(address) { found.append(address) }
      if let queue, let first, type.isKind(of: queue) { found += members(SafeMemory.word64(address + first)) }
    }
    return found.filter { isAwaited($0, at: call.arguments[0]) }
  }

  /// Bytes of the C library's condition.
  private static let conditionSize: UInt = 48
  private func isAwaited(_ address: UInt, at word: UInt) -> Bool {
    guard let object = SafeMemory.word64(address + condition), object != 0,
      let place = SafeMemory.word64(UInt(object) + inner)
    else { return false }
    return word >= UInt(place) && word - UInt(place) < Self.conditionSize
  }

  /// The operations of a queue, each with a reference to the next.
  private func members(_ first: UInt64?) -> [UInt] {
    var found: [UInt] = []
    var next = first
    while let word = next, word != 0, found.count < Self.mostObjects {
      let address = UInt(word)
      guard isOperation(address) else { break }
      if isOpen(address) { found.append(address) }
      next = SafeMemory.word64(address + self.next)
    }
    return found
  }

  private func isOperation(_ address: UInt) -> Bool { SwiftClass(ofObject: address)?.isKind(of: operation) == true }

  /// Where in its life the operation is; nil if it cannot be read. The last of Foundation's eight states is "finished".
  private func stage(_ address: UInt) -> UInt8? {
    SwiftText.byte(address + state)
  }
  private func isOpen(_ address: UInt) -> Bool { stage(address).map { $0 < 7 } ?? false }

  /// It has not got anywhere, and lies in no queue, though it waits for nothing.
  private func isLone(_ address: UInt) -> Bool {
    stage(address) == 0 && SafeMemory.word64(address + owner) == 0 && needs(address).isEmpty
  }

  /// What it depends on, as far as that has not finished: an array, whose elements begin 32 bytes into its object.
  private func needs(_ address: UInt) -> [UInt] {
    guard let array = SafeMemory.word64(address + dependencies).map({ UInt($0) }), array != 0,
      let count = SafeMemory.word64(array + 16), count <= UInt64(Self.mostObjects)
    else { return [] }
    return (0..<UInt(count)).compactMap { index in
      guard let word = SafeMemory.word64(array + 32 + index * 8), isOperation(UInt(word)), isOpen(UInt(word)) else {
        return nil
      }
      return UInt(word)
    }
  }

  // MARK: the graph

  private func reachable(from roots: [UInt]) -> [UInt] {
    var found = roots, seen = Set(roots), index = 0
    while index < found.count, found.count < Self.mostObjects {
      for need in needs(found[index]) where seen.insert(need).inserted { found.append(need) }
      index += 1
    }
    return found
  }

  /// Operations each of which depends on the next, and the last on the first; nil if there is no such cycle.
  private func cycle(from roots: [UInt]) -> [UInt]? {
    var isDone: Set<UInt> = []
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

  private func title(_ address: UInt) -> String {
    let type = SwiftClass(ofObject: address)?.name ?? "Operation"
    let named = SwiftText.optional(at: address + name).map { "\"\($0)\" " } ?? ""
    return "operation \(named)(\(type) 0x\(String(address, radix: 16)))"
  }
}
