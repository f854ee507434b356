// InspectedProgram.swift: a program that tests inspect, in a process of its own, with a private folder of its own.
import SignalboxSystem
import Testing

@testable import SignalboxInspector

/// InspectProbe, started; ended with the value.
final class InspectedProgram {
  let child: ChildProcess
  /// Where its private folder lies.
  let place: String
  /// The line that it has said.
  private(set) var line = ""
  private let ownsPlace: Bool

  static let programs: String = {
    let tests = ((try? Files.realPath("/proc/self/exe")) ?? "").description
    return String(tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)])
  }()

  static func makePlace() throws -> String { try Files.makeFreshFolder("/tmp/signalbox-tests-").description }
  static func remove(_ place: String) {
    _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(place)], environment: [])
  }

  /// Starts it and waits until it does what it is to do.
  ///
  /// - Parameters:
  ///   - before: a program that becomes it, with its arguments.
  ///   - words: the whole command line, where another one does.
  init(
    _ arguments: [String], place: String? = nil, isPrepared: Bool = true, adding variables: [String: String] = [:],
    before: [String] = [], words: [String]? = nil
  ) throws {
    self.place = try place ?? Self.makePlace()
    ownsPlace = place == nil
    var all = ["XDG_RUNTIME_DIR": self.place, "SIGNALBOX_INSPECT": isPrepared ? "1" : "0"]
    all.merge(variables) { $1 }
    let words = words ?? before + [Self.programs + "InspectProbe"] + arguments
    child = try ChildProcess(words[0], Array(words.dropFirst()), adding: all)
    line = try #require(awaitLine(), "the program says nothing: \(errorText)")
  }

  deinit {
    child.kill()
    _ = child.wait()
    if ownsPlace { Self.remove(place) }
  }

  var errorText: String { String(decoding: child.errorOutput, as: UTF8.self) }

  private func awaitLine() -> String? {
    let deadline = Clock.uptime() + 120_000_000_000
    while Clock.uptime() < deadline {
      let isOpen = child.read(milliseconds: 100)
      if let line = child.takeLines().first { return line }
      if !isOpen { return nil }
    }
    return nil
  }

  /// Waits until it has said on standard error what contains `text`.
  func awaitError(_ text: String) -> Bool {
    let deadline = Clock.uptime() + 60_000_000_000
    while !errorText.contains(text) {
      guard Clock.uptime() < deadline, child.read(milliseconds: 100) else { return errorText.contains(text) }
    }
    return true
  }

  /// Inspects it, as soon as it has used Signalbox.
  func inspections(wantsStacks: Bool = false) throws -> [Inspection] {
    let process = try InspectedProcess(child.id, patience: 60_000_000_000)
    let deadline = Clock.uptime() + 60_000_000_000
    while true {
      do { return try process.inspect(wantsStacks: wantsStacks) } catch {
        guard error.kind == .notPrepared, Clock.uptime() < deadline else { throw error }
        _ = child.read(milliseconds: 20)
      }
    }
  }

  func inspect(wantsStacks: Bool = false) throws -> Inspection {
    let inspections = try inspections(wantsStacks: wantsStacks)
    #expect(inspections.count == 1)
    return try #require(inspections.first)
  }

  /// Inspects it again and again until `isWanted` holds: what is awaited happens beside that.
  func inspect(wantsStacks: Bool = false, until isWanted: (Inspection) -> Bool) throws -> Inspection {
    let deadline = Clock.uptime() + 60_000_000_000
    while true {
      let inspection = try inspect(wantsStacks: wantsStacks)
      if isWanted(inspection) || Clock.uptime() > deadline { return inspection }
    }
  }

  /// Inspects it until the threads of its deadlock sleep: the thread that closes the cycle reports it first.
  @discardableResult func inspectDeadlock(wantsStacks: Bool = false) throws -> Inspection {
    try inspect(wantsStacks: wantsStacks, until: { !$0.cycles.isEmpty })
  }

  /// The names in its private folder.
  var names: [String] { (try? Files.names(in: RawString(place + "/signalbox"))) ?? [] }
}

extension Inspection {
  func queue(_ label: String) throws -> Queue { try #require(queues.first { $0.label == label }, "there is no queue \(label)") }
  func onQueue(_ label: String) -> [Thread] {
    let address = queues.first { $0.label == label }?.address
    return threads.filter { thread in thread.inside.contains { $0.queue == address && $0.isItem } }
  }
}
