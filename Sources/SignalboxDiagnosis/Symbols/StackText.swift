// StackText.swift: a call stack as lines of a report: the program's own functions, each with a number; between them a line for each
// part that is Signalbox's. What a single function is called is SymbolFrame.swift.
import SignalboxSystem

/// Which lines of a stack are shown.
struct StackText: Sendable {
  private let origins: FrameOrigins
  /// Every function is shown: SIGNALBOX_STACKS=full.
  private let isFull: Bool
  /// Paths of files are shown without it: where the program stands, with a slash.
  private let folder: String

  init(_ origins: FrameOrigins, isFull: Bool = Environment.value("SIGNALBOX_STACKS") == "full", folder: String = Self.standing)
  {
    (self.origins, self.isFull, self.folder) = (origins, isFull, folder)
  }

  private static var standing: String { ((try? Files.realPath("."))?.text).map { $0 == "/" ? "" : $0 + "/" } ?? "" }

  /// The lines of the stack whose functions these are, innermost first.
  func lines(_ frames: [SymbolFrame]) -> [String] {
    guard !isFull, !frames.isEmpty else { return numbered(frames) }
    let origins = frames.map { self.origins.origin(of: $0) }
    var lines: [String] = []
    var number = 0
    for part in Self.parts(origins) {
      if part.isOwn {
        lines.append(summary(frames[part.range], origins[part.range], isEnd: part.isEnd))
        continue
      }
      for index in part.range where isShown(index, frames, origins) && !(part.isEnd && origins[index] == .beginning) {
        lines.append("\(number) \(frames[index].text(folder: folder))")
        number += 1
      }
    }
    return lines + Self.lacking(frames, origins)
  }

  /// Why there is no function of the program's, or none with a name.
  private static func lacking(_ frames: [SymbolFrame], _ origins: [SymbolFrame.Origin]) -> [String] {
    let program = frames.indices.filter { origins[$0] == .program }
    if program.isEmpty {
      return ["(no function of the program is on this stack: one whose last step is a call leaves it before that call)"]
    }
    guard program.allSatisfy({ frames[$0].name == nil }) else { return [] }
    let image = frames[program[0]].image.flatMap { $0.split(separator: "/").last }
    return image.map { ["(\($0) has no symbols for these places: which functions they are is not known)"] } ?? []
  }

  /// Whether a function has a line of its own. A thunk of the program's stands for the function that it leads to, which may have been
  /// compiled into it, unless that one has a frame as well.
  private func isShown(_ index: Int, _ frames: [SymbolFrame], _ origins: [SymbolFrame.Origin]) -> Bool {
    guard frames[index].isThunk, let name = frames[index].name else { return true }
    guard origins[index] == .program else { return false }
    guard index > 0, origins[index - 1] == .program, let inner = frames[index - 1].name else { return true }
    return SymbolNames.deed(inner) != SymbolNames.deed(name)
  }

  /// The functions of the program that are shown, innermost first.
  private func shown(_ frames: [SymbolFrame]) -> [Int] {
    let origins = frames.map { self.origins.origin(of: $0) }
    return frames.indices.filter { origins[$0] == .program && isShown($0, frames, origins) }
  }

  /// The function of the program that an item of Signalbox's is, seen in the stack of the thread that runs it: the outermost inside of
  /// the outermost part of Signalbox's. With a name, or without.
  func calledOutermost(_ frames: [SymbolFrame], named: Bool = true) -> String? {
    let origins = frames.map { self.origins.origin(of: $0) }
    guard let part = Self.parts(origins).last(where: \.isOwn) else { return nil }
    let index = shown(frames).last { $0 < part.range.lowerBound && (frames[$0].name != nil) == named }
    return index.map { functionText(frames[$0]) }
  }

  /// An item's function, which has not got anywhere: without the distance from its beginning.
  func functionText(_ frame: SymbolFrame) -> String { frame.file == nil ? frame.function : frame.text(folder: folder) }

  /// Whose the function is.
  func origin(of frame: SymbolFrame) -> SymbolFrame.Origin { origins.origin(of: frame) }

  /// Whether the function is the program's own.
  func isProgram(_ frame: SymbolFrame) -> Bool { origins.origin(of: frame) == .program }

  /// The innermost function of the program, with its line; the innermost of all if there is none.
  func place(_ frames: [SymbolFrame]) -> String? {
    (shown(frames).first.map { frames[$0] } ?? frames.first)?.text(folder: folder)
  }

  /// The program's functions along a chain of awaits, innermost first, each in a line: only functions of Swift's await.
  func awaits(_ frames: [SymbolFrame]) -> [String] { numbered(awaiting(frames)) }

  /// The program's functions along a chain of awaits, innermost first.
  func awaiting(_ frames: [SymbolFrame]) -> [SymbolFrame] {
    frames.filter { origins.origin(of: $0) == .program && !$0.isThunk && ($0.name.map(SymbolNames.isSwift) ?? true) }
  }

  /// The program's functions that are under way for a task on the thread whose stack this is, innermost first; nil:
  /// where the task's part of the stack ends is not known. `calls` has the functions of each address, the last of which
  /// is not compiled into another.
  ///
  /// The runtime calls an async function, and what that one calls is no other async one: those are jumped to. So the
  /// last before the runtime's part is async; where it is not, the runtime has called another function of the
  /// program's.
  func underWay(_ calls: [[SymbolFrame]]) -> [SymbolFrame]? {
    guard let end = calls.firstIndex(where: { $0.last.map(Self.isOfRuntime) == true }), end > 0,
      calls[end - 1].last?.name.map(SymbolNames.isAsync) == true
    else { return nil }
    let inner = calls[..<end].flatMap { $0 }
    return shown(inner).map { inner[$0] }
  }

  /// Whether the function is one in C++ of the runtime of Swift's tasks, which also a static program may contain.
  private static func isOfRuntime(_ frame: SymbolFrame) -> Bool {
    guard let name = frame.name else { return frame.image.map(isRuntime) ?? false }
    if SymbolNames.isSwift(name) { return false }
    return name.hasPrefix("swift_job_run") || name.hasPrefix("_ZN5swift") || frame.image.map(isRuntime) ?? false
  }
  private static func isRuntime(_ image: String) -> Bool { image.hasSuffix("/libswift_Concurrency.so") }

  private func numbered(_ frames: [SymbolFrame]) -> [String] {
    frames.enumerated().map { "\($0.offset) \($0.element.text(folder: folder))" }
  }

  // MARK: parts

  struct Part: Equatable {
    var range: Range<Int>
    /// Signalbox's, with what lies between it and the program.
    var isOwn: Bool
    /// It is the outermost.
    var isEnd = false
  }

  /// The stack in parts: each of Signalbox's functions in a row, with what leads there and from there.
  static func parts(_ origins: [SymbolFrame.Origin]) -> [Part] {
    var parts: [Part] = []
    var start = 0
    while start < origins.count {
      let isWay = isOnTheWay(origins[start])
      let end = origins[start...].firstIndex { isOnTheWay($0) != isWay } ?? origins.count
      parts.append(Part(range: start..<end, isOwn: isWay && origins[start..<end].contains(.own), isEnd: end == origins.count))
      start = end
    }
    return parts
  }

  /// What goes with Signalbox's functions where it lies next to them.
  private static func isOnTheWay(_ origin: SymbolFrame.Origin) -> Bool { origin != .program && origin != .library }

  /// A part of Signalbox's in a line: how many functions, and which of them the program knows.
  private func summary(_ frames: ArraySlice<SymbolFrame>, _ origins: ArraySlice<SymbolFrame.Origin>, isEnd: Bool) -> String {
    let own = zip(frames, origins).filter { $0.1 != .beginning }
    let count = own.count == 1 ? "1 frame" : "\(own.count) frames"
    // What the program knows is Signalbox's outermost function, or the toolchain's Dispatch module's that called it.
    let known = own.filter { $0.1 == .own || FrameOrigins.isDispatch($0.0) }.map(\.0)
    return "(\(count) of Signalbox: \(isEnd ? Self.beginning(known) : Self.called(known)))"
  }

  /// What the program called.
  private static func called(_ frames: [SymbolFrame]) -> String {
    (frames.last { !$0.isThunk && $0.name != nil } ?? frames.last)?.function ?? "?"
  }

  /// What began on this thread.
  private static func beginning(_ frames: [SymbolFrame]) -> String {
    for name in frames.reversed().map(\.function) {
      if name.holds("Worker.") || name.holds("Item.run") { return "a worker thread" }
      // Only the main thread serves the main queue.
      if name == "dispatchMain()" || name.holds("MainThreadHost.") || name.holds("MainQueue.") { return "the main thread" }
    }
    return called(frames)
  }
}
