// InspectionNames.swift: what the parts of an inspection are called in tables and pictures: threads, what they run, what they wait for.

/// The words of one inspection.
struct InspectionNames {
  private let queues: [String: Inspection.Queue]
  private let threads: [Int: Inspection.Thread]
  /// Labels that several queues have; and how many queues lie on one, by its address.
  private let shared: Set<String>, children: [String: Int]
  let places: PlaceNames

  init(_ inspection: Inspection, _ places: PlaceNames) {
    queues = Dictionary(inspection.queues.map { ($0.address, $0) }, uniquingKeysWith: { $1 })
    threads = Dictionary(inspection.threads.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let labels = Dictionary(inspection.queues.map { ($0.label, 1) }, uniquingKeysWith: +)
    shared = Set(labels.filter { $0.value > 1 && !$0.key.isEmpty }.keys)
    children = Dictionary(inspection.queues.compactMap(\.target).map { ($0, 1) }, uniquingKeysWith: +)
    self.places = places
  }

  func queue(_ address: String) -> Inspection.Queue? { queues[address] }

  /// A queue in a column: by its label; by its address as well where others have the same, and alone where it has none.
  func label(_ queue: Inspection.Queue) -> String {
    if queue.label.isEmpty { return queue.address }
    return shared.contains(queue.label) ? "\(queue.label) (\(queue.address))" : queue.label
  }

  /// What keeps a queue, and whether what it has done is not items alone.
  func state(_ queue: Inspection.Queue) -> String {
    let turns = queue.knowsDone ? children[queue.address] ?? 0 : 0
    let told = turns == 0 ? "" : "done counts the turns of \(turns) \(turns == 1 ? "queue" : "queues") on it"
    return [queue.stateText, told].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private func title(_ queue: Inspection.Queue) -> String {
    shared.contains(queue.label) ? "\(queue.title) (\(queue.address))" : queue.title
  }

  /// A thread in a sentence: by the queue whose item it runs, else by its name.
  func thread(_ id: Int) -> String {
    guard let thread = threads[id] else { return "thread \(id)" }
    if thread.isMain { return "the main thread (\(id))" }
    if let label = label(thread) { return "thread \(id) on queue \"\(label)\"" }
    return thread.name.isEmpty ? "thread \(id)" : "thread \(id) \"\(thread.name)\""
  }

  /// The label of the innermost queue whose items it takes.
  private func label(_ thread: Inspection.Thread) -> String? {
    guard let queue = thread.inside.first(where: \.isItem).flatMap({ queues[$0.queue] }), !queue.label.isEmpty else {
      return nil
    }
    return queue.label
  }

  /// What it runs, in a column: the queue, and the item with its function.
  func runs(_ thread: Inspection.Thread) -> String {
    // Outermost last: what it runs there leads to the others.
    let parts = thread.inside.map { frame in
      let name = queues[frame.queue].map { $0.label.isEmpty ? $0.title : "\"\($0.label)\"" } ?? frame.queue
      return frame.isItem ? name : "sync on \(name)"
    }
    let item = thread.runs.map { runs in
      self.item(runs.kind, runs.function, on: thread.stack)
        + (runs.seconds.map { " (for \($0 < 600 ? "\(Int($0)) s" : Self.time($0)) or more)" } ?? "")
    }
    return (parts.isEmpty ? [] : [parts.joined(separator: " < ")] + [item].compactMap { $0 }).joined(separator: ": ")
  }

  /// An item, by its kind and function.
  func item(_ kind: String, _ function: [Inspection.Place], on stack: [Inspection.Place] = []) -> String {
    kind + (places.function(function, on: stack).map { " \($0)" } ?? "")
  }

  /// What it waits for.
  func object(_ wait: Inspection.Wait) -> String {
    if let queue = queues[wait.object] {
      return wait.kind == "queue" ? title(queue) : title(queue) + wait.kind.dropFirst("queue".count)
    }
    return "\(wait.kind) " + (wait.name.map { "\"\($0)\"" } ?? wait.object)
  }

  /// What a thread does at this moment, in a few words: it waits, sleeps in a system call, or runs.
  func deed(_ thread: Inspection.Thread) -> String {
    if let wait = thread.wait { return "waits for \(object(wait)); \(reason(wait))" }
    let runs = runs(thread), deed = thread.call.map { "sleeps in \($0)" } ?? thread.state
    return runs.isEmpty ? deed : "\(deed), in \(runs)"
  }

  /// What keeps it, behind the thing.
  func reason(_ wait: Inspection.Wait) -> String {
    let who = wait.holders.map(thread).joined(separator: " and ")
    return switch wait.because {
    case "held": "\(who) has it"
    case "inside":
      wait.holders.isEmpty ? "others are inside" : "\(who) \(wait.holders.count == 1 ? "is" : "are") inside, and others may be"
    case "main thread": "its items run on the main thread"
    case "pool": "a thread of the pool will come for it"
    case "stopped": "the queue is suspended or not active"
    case "anyone": "any thread may end it"
    case Inspection.Wait.goesOn: "\(who) has not ended"
    case "over": "granted, and not yet awake"
    default: "no thread has it at this moment"
    }
  }

  /// How long, in few characters.
  static func time(_ seconds: Double) -> String {
    switch seconds {
    case ..<0.001: "\(Int((seconds * 1e6).rounded())) us"
    case ..<1: "\(Int((seconds * 1e3).rounded())) ms"
    case ..<600: "\((seconds * 10).rounded() / 10) s"
    case ..<36_000: "\(Int(seconds / 60)) min"
    default: "\(Int(seconds / 3600)) h"
    }
  }

  /// The same of a time that may be longer.
  static func timeAtLeast(_ seconds: Double) -> String { "\(time(seconds)) or more" }
}
