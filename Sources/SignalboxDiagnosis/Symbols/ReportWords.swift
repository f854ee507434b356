// ReportWords.swift: what every report needs to be put into words: the functions of all its addresses, asked for at
// once, and times. An orderly end of the program waits meanwhile.
import SignalboxSystem
import SignalboxWaits

// MARK: functions, stacks, the function of an item

/// The symbols of one report.
struct ReportSymbols: Sendable {
  private var frames: [UInt: [SymbolFrame]] = [:]
  private let stacks: StackText
  private let hint: String?

  /// - Parameter withLines: whether the helper is asked for files and lines.
  init(_ addresses: [UInt], withLines: Bool = true) {
    let images = MappedImages(), wanted = Array(Set(addresses))
    let answer = SymbolText.frames(wanted, images, withLines: withLines)
    for (address, found) in zip(wanted, answer.frames) { frames[address] = found }
    hint = answer.hint
    stacks = StackText(FrameOrigins(images))
  }

  /// The lines of a stack.
  func lines(_ addresses: [UInt]) -> [String] { stacks.lines(functions(addresses)) }

  /// The program's functions along a chain of awaits, innermost first.
  func awaits(_ addresses: [UInt]) -> [String] { stacks.awaits(functions(addresses)) }

  /// The same as values.
  func awaiting(_ addresses: [UInt]) -> [SymbolFrame] { stacks.awaiting(functions(addresses)) }

  /// The program's function in which a task begins, of those that may be it: a thunk, what hands a closure its
  /// captures, and the closure that these call; nil: not known.
  func beginning(_ addresses: [UInt]) -> SymbolFrame? {
    let found = functions(addresses).map { frame in
      var frame = frame
      if let name = frame.name.map(SymbolNames.withoutPart), name.hasSuffix("TA") { frame.name = String(name.dropLast(2)) }
      return frame
    }
    return stacks.awaiting(found).first { $0.name != nil }
  }

  /// The program's functions along the same, all of which lie in images; nil: one does not, and so the chain is none.
  func awaitingAll(_ addresses: [UInt]) -> [SymbolFrame]? {
    addresses.allSatisfy { frames[$0]?.last?.image != nil } ? awaiting(addresses) : nil
  }

  /// The program's functions under way on this stack for the task that its thread runs, innermost first; nil: where the
  /// task's part of the stack ends is not known.
  func underWay(onTaskOf stack: [UInt]) -> [SymbolFrame]? { stacks.underWay(stack.map { frames[$0] ?? [] }) }

  /// A function, with its place if that is known.
  func words(_ function: SymbolFrame) -> String { stacks.functionText(function) }

  /// Where the program was, in a few words: its innermost function of the stack, or what is there in place of one.
  func place(_ addresses: [UInt]) -> String { stacks.place(functions(addresses)) ?? "an unknown place" }

  private func functions(_ addresses: [UInt]) -> [SymbolFrame] {
    addresses.flatMap { frames[$0] ?? [] }
  }

  /// What a report ends with where files and lines are missing for want of a helper to ask.
  var hintLines: [String] { hint.map { ["  note: \($0)"] } ?? [] }

  /// The function of an item, in words; nil if it is not known. `function` is its own, 0 if that is not known, and
  /// `places` is what stands for it and for what it may call, among return addresses; `stack` is that of the thread
  /// that runs it; none for one that has not begun.
  ///
  /// An item is often a thunk of the compiler's, which has the program's closure in its context, or Signalbox's own
  /// function, which calls something of the program's: what it has called stands in the stack.
  func function(_ function: UInt, places: [UInt], on stack: [UInt]) -> String? {
    let found = places.compactMap { frames[$0]?.last }
    let program = found.filter { stacks.isProgram($0) }, named = program.filter { $0.name != nil }
    if let own = named.first(where: { !$0.isThunk }) ?? named.first { return stacks.functionText(own) }
    if let seen = stacks.calledOutermost(functions(stack)) { return seen }
    // Words of a context that lie in no image are no functions.
    let nameless = program.first { $0.image != nil }?.plain ?? stacks.calledOutermost(functions(stack), named: false)
    if let nameless { return "\(nameless), which has no name in its file" }
    guard function != 0, let first = found.first(where: { $0.name != nil }) else { return nil }
    let whose = stacks.origin(of: first) == .library ? "a library's" : "Signalbox's"
    return "the program's function is not known, but \(whose): \(stacks.functionText(first))"
  }

  /// The actor of a job that goes on at `place`, on the thread with this stack; nil if that is not certain.
  ///
  /// The task enters its actor before it calls a method that does not wait, and inside of one that does. So the
  /// function in which the job goes on is the actor's, or the one that it has called is. Where both are methods of
  /// classes, and of two, either may be.
  func actor(ofJobAt place: UInt, on stack: [UInt]) -> String? {
    guard let name = frames[place]?.last?.name else { return nil }
    let called = functions(stack).filter { !$0.isThunk && stacks.isProgram($0) }
    guard let index = called.lastIndex(where: { $0.name == name }) else { return nil }
    let outer = SymbolNames.className(of: name)
    let inner = index == 0 ? nil : called[index - 1].name.flatMap { SymbolNames.className(of: $0) }
    if let outer, let inner, outer != inner { return nil }
    return outer ?? inner
  }
}

// MARK: times in the form that reports use

enum ReportTimes {
  /// How a wait ends that no thread ends: never, or by its timeout.
  static func end(_ timeLeft: UInt64?) -> String {
    timeLeft.map { "only its timeout can end it, \(decimals(Double($0) / 1e9)) s later" } ?? "it never ends"
  }

  static func decimals(_ seconds: Double) -> String {
    let tenths = Int64((max(0, seconds) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

// MARK: reports under way

// Naming functions takes a helper process, and a program may end meanwhile. An orderly end waits.

/// Reports that are being put into words.
enum Telling {
  /// Runs `body`, which ends with a report. A process that ends in order meanwhile waits for it, for as long as naming
  /// may take; a thread that ends the process inside of `body` would wait for itself, so no code of the program's is
  /// called there.
  static func whileTelling<R>(_ body: () throws -> R) rethrows -> R {
    _ = exitWaits
    // seq_cst: before anything is reported; pairs with the exit's reading of the count
    _ = count.addSeqCst(1)
    defer {
      // seq_cst: after everything was reported; pairs in the same way
      if count.addSeqCst(~0) == 1 { count.wake(count: .max) }
    }
    return try body()
  }

  private static let count = Atomic32(0)

  private static let exitWaits: Bool = Threads.onProcessExit {
    let end = Clock.uptime() &+ SymbolText.patience &+ 500_000_000
    while true {
      // acquire: pairs with the subtraction above: what was reported is written
      let seen = Telling.count.loadAcquire()
      guard seen > 0, Clock.uptime() < end else { return }
      Telling.count.park(expected: seen, deadline: .uptime(end))
    }
  }
}
