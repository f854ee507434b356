// InspectedTask+JSON.swift: one task as JSON, for programs. The fields are described in README.md.
import SignalboxCommandLine

extension Inspection.Task {
  /// The object; functions, files and lines by `names`.
  func json(_ names: PlaceNames) -> JSON {
    let named = names.awaits(awaits).map { one in
      JSON.object(
        [
          ("function", JSON.string(one.function)), one.file.map { ("file", .string($0)) },
          one.line.map { ("line", .count($0)) },
        ].compactMap { $0 })
    }
    let awaits = named.isEmpty ? names.chain(awaits).map { JSON.object([("place", .string($0))]) } : named
    return .object(
      [
        ("number", JSON.count(number)), ("name", .string(name)), ("priority", .string(priority)),
        isRaised ? ("raised", .boolean(true)) : nil, isCancelled ? ("cancelled", .boolean(true)) : nil,
        isAsyncLet ? ("asyncLet", .boolean(true)) : nil, parent.map { ("parent", .count($0)) }, ("state", .string(stateWord)),
        thread.map { ("thread", .count($0)) }, keepsThread ? ("keepsThread", .boolean(true)) : nil,
        times.map { ("parts", .count($0.parts)) }, times?.began.map { ("began", .number($0)) },
        times?.wentOn.map { ("wentOn", .number($0)) }, times?.since.map { ("since", .number($0)) },
        times?.busy.map { ("busy", .number($0)) }, times?.queued.map { ("queued", .number($0)) },
        waitsFor(names).map { ("waitsFor", $0) }, ("awaits", .array(awaits)),
      ].compactMap { $0 })
  }

  private var thread: Int? { if case .running(let thread) = state { thread } else { nil } }

  private func waitsFor(_ names: PlaceNames) -> JSON? {
    switch state {
    case .running, .new: nil
    case .queued(let executor?): executor.json([("kind", .string("executor"))])
    case .queued: .object([("kind", .string("executor"))])
    case .task(let number): .object([("kind", JSON.string("task")), number.map { ("task", .count($0)) }].compactMap { $0 })
    case .children(let left): .object([("kind", .string("group")), ("children", .array(left.map { .count($0) }))])
    case .sleeping(let seconds):
      .object([("kind", JSON.string("clock")), seconds.map { ("seconds", .number($0)) }].compactMap { $0 })
    case .continuation: .object([("kind", .string(names.isInStream(awaits) ? "stream" : "continuation"))])
    }
  }
}

extension Inspection.TaskFunction {
  /// The object; the function by `names`.
  func json(_ names: PlaceNames) -> JSON {
    let named = names.awaits(places).first, other = names.function(places, on: []) ?? names.places(places)
    return .object(
      [
        ("function", JSON.string(named?.function ?? other)), named?.file.map { ("file", .string($0)) },
        named?.line.map { ("line", .count($0)) }, ("tasks", .count(tasks)), ("parts", .count(parts)),
        busy.map { ("busy", .number($0)) }, queued.map { ("queued", .number($0)) }, between.map { ("between", .number($0)) },
      ].compactMap { $0 })
  }
}

extension Inspection.Actor {
  var json: JSON {
    executor.json(
      [("queued", JSON.count(queued)), task.map { ("task", .count($0)) }, thread.map { ("thread", .count($0)) }].compactMap {
        $0
      })
  }
}

extension Inspection.Task.Executor {
  fileprivate func json(_ members: [(name: String, value: JSON)]) -> JSON {
    .object(
      [type.map { ("type", JSON.string($0)) }, isActor ? ("actor", .boolean(true)) : nil, ("address", .string(address))]
        .compactMap { $0 } + members)
  }
}

extension JSON {
  fileprivate static func count(_ number: Int) -> JSON { .number(Double(number)) }
}
