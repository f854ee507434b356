// Inspection+JSON.swift: one inspection as JSON, for programs. The fields are described in README.md.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxWords

extension Inspection {
  /// The object.
  package var json: JSON {
    var files = FileNumbers()
    let threads = threads.map { $0.json(&files) }, queues = queues.map { $0.json(&files) }
    let armed = armed.map { $0.json(&files) }
    return .object(
      [
        lost > 0 ? ("lost", JSON.count(lost)) : nil, ("version", .number(1)), ("process", .count(Int(process))),
        ("copy", .string(copy)), usesSignalbox ? nil : ("usesSignalbox", .boolean(false)), ("source", .string(source)),
        ("circles", .array(cycles.map(\.json))),
        ("threads", .array(threads)), ("queues", .array(queues)), ("pools", .array(pools.map(\.json))),
        timers.map { ("timers", .count($0)) }, ("armed", .array(armed)), ("monitored", .array(monitored.map(\.json))),
        events.map { ("events", .count($0)) }, ("unread", .array(unread.map { .string($0) })),
        ("images", .array(files.all.map { .string($0) })),
      ].compactMap { $0 })
  }
}

extension JSON {
  fileprivate static func count(_ number: Int) -> JSON { .number(Double(number)) }
  fileprivate static func threads(_ all: [Int]) -> JSON { .array(all.map { .count($0) }) }

  /// An object of the members that there are.
  fileprivate static func members(_ all: [(name: String, value: JSON)?]) -> JSON { .object(all.compactMap { $0 }) }
}

/// The files of places, by their numbers.
private struct FileNumbers {
  private(set) var all: [String] = []
  private var numbers: [String: Int] = [:]

  /// `NUMBER+0xDISTANCE`, or an address.
  mutating func json(_ places: [Inspection.Place]) -> JSON {
    .array(
      places.map { place in
        guard let image = place.image else { return .string(place.offset.hexadecimal) }
        let number = numbers[image] ?? all.count
        if number == all.count {
          numbers[image] = number
          all.append(image)
        }
        return .string("\(number)+\(place.offset.hexadecimal)")
      })
  }
}

extension Inspection.Cycle {
  fileprivate var json: JSON {
    .members([("certainty", .string(isCertain ? "certain" : "suspected")), ("threads", .threads(threads))])
  }
}

extension Inspection.Thread {
  fileprivate func json(_ files: inout FileNumbers) -> JSON {
    var runs: JSON?
    if let item = self.runs {
      runs = .members([
        ("kind", .string(item.kind)), ("function", files.json(item.function)), item.seconds.map { ("seconds", .number($0)) },
      ])
    }
    let inside = inside.map {
      JSON.members([("queue", .string($0.queue)), ("as", .string($0.isItem ? "item" : "sync"))])
    }
    return .members([
      ("thread", .count(id)), ("name", .string(name)), ("state", .string(state)), isOwn ? ("own", .boolean(true)) : nil,
      isMain ? ("main", .boolean(true)) : nil, inside.isEmpty ? nil : ("inside", .array(inside)), runs.map { ("runs", $0) },
      wait.map { ("waits", $0.json) }, call.map { ("call", .string($0)) }, isUnread ? ("unread", .boolean(true)) : nil,
      stack.isEmpty ? nil : ("stack", files.json(stack)), stackEnd.map { ("stackEnds", .string($0)) },
    ])
  }
}

extension Inspection.Wait {
  fileprivate var json: JSON {
    .members([
      ("kind", .string(kind)), ("object", .string(object)), name.map { ("name", .string($0)) },
      seconds.map { ("seconds", .number($0)) }, ("limited", .boolean(isLimited)), ("because", .string(because)),
      ("for", .threads(holders)),
    ])
  }
}

extension Inspection.Queue {
  fileprivate func json(_ files: inout FileNumbers) -> JSON {
    let next = next.map { JSON.members([("kind", .string($0.kind)), ("function", files.json($0.function))]) }
    return .members([
      ("queue", .string(address)), ("label", .string(label)), ("kind", .string(kind)), ("class", .string(qos)),
      isCounted ? ("pending", .count(pending)) : nil, knowsDone ? ("done", .count(done)) : nil,
      owner.map { ("owner", .count($0)) }, running > 0 ? ("running", .count(running)) : nil,
      limit > 0 ? ("limit", .count(limit)) : nil, suspended > 0 ? ("suspended", .count(suspended)) : nil,
      isInactive ? ("inactive", .boolean(true)) : nil, target.map { ("target", .string($0)) },
      urgent.map { ("urgent", .members([("class", .string($0.qos)), ("behind", .count($0.behind))])) },
      next.isEmpty ? nil : ("next", .array(next)), p50.map { ("p50", .number($0)) }, p95.map { ("p95", .number($0)) },
      oldest.map { ("oldest", .number($0)) },
    ])
  }
}

extension Inspection.Pool {
  fileprivate var json: JSON {
    let known = workers.sorted { $0.key < $1.key }.map { (thread: $0.key, state: $0.value) }
    let all = known + (0..<beginning).map { _ in (thread: 0, state: WorkerStatus.beginning) }
    return .members([
      ("name", .string(name)), ("threads", .count(threads)), ("running", .count(running)), ("idle", .count(idle)),
      ("limit", .count(limit)),
      ("workers", .array(all.map { .members([("thread", .count($0.thread)), ("state", .string($0.state))]) })),
    ])
  }
}

extension Inspection.Timer {
  fileprivate func json(_ files: inout FileNumbers) -> JSON {
    .members([
      ("kind", .string(kind)), due.map { ("due", .number($0)) }, queue.isEmpty ? nil : ("queue", .string(queue)),
      function.isEmpty ? nil : ("function", files.json(function)),
    ])
  }
}

extension Inspection.Descriptor {
  fileprivate var json: JSON {
    .members([
      ("descriptor", .count(number)), ("for", .string(direction)), label.isEmpty ? nil : ("label", .string(label)),
    ])
  }
}
