// LockOrderCauses.swift: which findings have one cause, so that it is reported once: a program that makes many queues and locks of one kind
// contradicts itself with each of them anew. Which orders contradict one another is LockOrderGraph.swift.
import SignalboxSystem
import SignalboxWaits

/// What findings have in common that one change of the program would end: what the locks are called, numbers taken out, and the
/// functions that took them and asked for them.
struct LockOrderCause: Hashable {
  private struct Step: Hashable, Comparable {
    let text: String
    static func < (left: Step, right: Step) -> Bool { left.text < right.text }
  }
  private let kind: LockOrderReport.Kind
  /// A wait that ends by time is mended otherwise than one that does not.
  private let isTimed: Bool
  // In an order of their own: the code that finds a cycle begins it where it closes.
  private let steps: [Step]

  /// - Parameter function: the innermost function of the program in a stack.
  init(_ finding: LockOrderFinding, function: ([UInt]) -> String) {
    kind = finding.kind
    isTimed = finding.timeLeft != nil
    steps =
      finding.steps.map { step in
        let held = Self.general(step.held, function), wanted = Self.general(step.wanted, function)
        return Step(text: "\(held) in \(function(step.place.heldAt)), \(wanted) in \(function(step.place.wantedAt))")
      }.sorted()
  }

  private static func general(_ text: LockClassText, _ function: ([UInt]) -> String) -> String {
    let noun = text.noun + (text.type ?? "")
    if let name = text.name { return noun + " " + withoutNumbers(name) }
    return text.site.isEmpty ? noun : "\(noun) made in \(function(text.site))"
  }

  /// The name with `#` in place of what counts its bearers: numbers, and long hexadecimal ones.
  static func withoutNumbers(_ name: String) -> String {
    var result = ""
    var rest = name[...]
    while let first = rest.first {
      let run = rest.prefix { $0.isHexDigit }
      let isNumber = run.contains { $0.isNumber } && (run.allSatisfy(\.isNumber) || run.count >= 6)
      let digits = isNumber ? run : rest.prefix { $0.isNumber }
      if digits.isEmpty {
        // A run of letters goes whole, or its end would look like a number of its own.
        let letters = run.isEmpty ? rest.prefix(1) : run.prefix { !$0.isNumber }
        result += letters.isEmpty ? String(first) : String(letters)
        rest = rest.dropFirst(max(1, letters.count))
      } else {
        result += "#"
        rest = rest.dropFirst(digits.count)
      }
    }
    return result
  }
}

/// The causes reported. Thread safety: any thread.
enum LockOrderCauses {
  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var told: Set<LockOrderCause> = []
  nonisolated(unsafe) private static var known = ProgramFunctions()
  nonisolated(unsafe) private static var merged = 0

  /// How many findings had a cause that was reported.
  static var mergedCount: Int { lock.withLock { merged } }

  /// Notes the finding's cause; false if it was reported before.
  static func claim(_ finding: LockOrderFinding) -> Bool {
    lock.withLock {
      let cause = LockOrderCause(finding) { known.innermost($0) }
      // Where a program has contradicted itself in ten thousand ways, some of them are reported twice.
      if told.count > 10_000 { told = [] }
      if told.insert(cause).inserted { return true }
      if merged == 0 { Threads.onProcessExit { LockOrderCauses.sayMerged() } }
      merged += 1
      return false
    }
  }

  private static func sayMerged() {
    let count = mergedCount
    Misuse.report("lock order: \(count) more \(count == 1 ? "finding" : "findings") had the causes that were reported")
  }
}

/// Whose functions addresses lie in, remembered: a scan of a file's symbols for each address that was never seen.
private struct ProgramFunctions {
  private var names: [UInt: String?] = [:]

  /// The innermost function of the program in the stack, as the compiler wrote its name; empty if there is none.
  mutating func innermost(_ stack: [UInt]) -> String {
    for address in stack {
      if names[address] == nil { learn(address) }
      if let name = names[address] ?? nil { return name }
    }
    return ""
  }

  private mutating func learn(_ address: UInt) {
    let images = MappedImages(), place = SymbolText.Place(returnAddress: address, images)
    let found = place.image.flatMap { ImageFunctions.at([UInt64(place.offset)], in: $0)[0] }
    let frame = SymbolFrame(found, place)
    let isProgram = FrameOrigins(images).origin(of: frame) == .program
    names[address] = .some(isProgram ? frame.name ?? frame.plain : nil)
  }
}
