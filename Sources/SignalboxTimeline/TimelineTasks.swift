// TimelineTasks.swift: which task of Swift's an item runs, from the events before its beginning; and what chains of
// awaits are called: by the program's own functions. An actor's item runs tasks that the recording does not tell apart.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

/// What an item runs of Swift's tasks: a part of one between two awaits, or some of an actor's.
struct TimelineTask {
  /// Counted from 1 in the process; 0: the item is an actor's.
  let number: ReadNumber
  /// The name of its chain of awaits; or the actor's class.
  let label: ReadNumber
  /// 0: the item is a task's.
  let actor: ReadNumber
  /// What the program called it, if it begins; empty without.
  var name = ""
  /// The number of its parent, if it begins; 0: none.
  var parent: ReadNumber = 0
  let begins, isCancelled, isAsyncLet: Bool

  init(_ event: RecordingFile.Event) {
    number = event.a & ReadNumber(TaskTraits.number)
    begins = event.a.bits & TaskTraits.begins != 0
    isCancelled = event.a.bits & TaskTraits.isCancelled != 0
    isAsyncLet = event.a.bits & TaskTraits.isAsyncLet != 0
    if number == 0 {
      (actor, label) = (event.b, event.c)
    } else {
      (actor, label) = (0, event.b)
      parent = event.c
    }
  }
}

/// What each thread's events say of the item that it begins next.
struct TimelineTasks {
  private var tasks: [Int: TimelineTask] = [:]
  private var names: [Int: [UInt8]] = [:]
  /// As long as the recorder writes them.
  private static let longestName = 72

  mutating func named(_ event: RecordingFile.Event, _ thread: Int) {
    guard names[thread, default: []].count < Self.longestName else { return }
    for word in [event.a, event.b, event.c] {
      names[thread, default: []] += (0..<6).map { (word >> ($0 * 8)).lowest(UInt8.self) }
    }
  }

  mutating func runs(_ event: RecordingFile.Event, _ thread: Int) {
    var task = TimelineTask(event)
    if let bytes = names.removeValue(forKey: thread) { task.name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    tasks[thread] = task
  }

  /// The task of the item that the thread begins now.
  mutating func take(_ thread: Int) -> TimelineTask? { tasks.removeValue(forKey: thread) }
}

// MARK: what chains are called

/// The functions of the program's along a chain of awaits, the innermost first.
struct AwaitChain {
  /// One function.
  struct Function: Hashable {
    let name: String
    let place: String?
    fileprivate let module: String?
  }

  private(set) var functions: [Function] = []

  /// The innermost, and behind it the first of another module, which called that one's: `next() ← serve(_:)`.
  var name: String? {
    guard let inner = functions.first else { return nil }
    let caller = functions.first { $0.module != inner.module }
    return inner.name + (caller.map { " ← \($0.name)" } ?? "")
  }

  /// All of them, the innermost first.
  var text: String { functions.map(\.name).joined(separator: " ← ") }

  /// Two parts of one function that follow each other are that function once.
  mutating func append(_ function: Function) { if functions.last != function { functions.append(function) } }
}

extension AwaitChain {
  /// Addresses of a chain, as a recording's names have them.
  static func addresses(_ text: String) -> [ReadNumber] {
    text.split(separator: " ").compactMap { UInt64($0, radix: 16).map { ReadNumber($0) } }
  }

  /// A chain of addresses, of which only the program's own functions count.
  init(_ addresses: [ReadNumber], _ recording: RecordingFile, _ names: TimelineNames) {
    for address in addresses {
      guard let symbol = names.symbol(address), let function = names.function(address) else { continue }
      let image = recording.place(address)?.path.split(separator: "/").last ?? "", module = SymbolNames.module(symbol)
      guard SymbolNames.isSwift(symbol), !image.hasPrefix("libswift"), !Self.toolchains.contains(module ?? "") else { continue }
      append(Function(name: function.name, place: function.place, module: module))
    }
  }

  /// Modules whose functions await for the program: a static program has them in its own image.
  private static let toolchains: Set = [
    "Swift", "_Concurrency", "Dispatch", "Foundation", "FoundationEssentials", "FoundationInternationalization",
  ]
}
