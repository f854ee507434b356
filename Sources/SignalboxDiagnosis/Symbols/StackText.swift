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
    let origins = frames.map { self.origins.origin(of: $0) }
    guard !isFull, origins.contains(.program) else { return numbered(frames) }
    var lines: [String] = []
    var number = 0
    for part in Self.parts(origins) {
      if part.isOwn {
        lines.append(summary(frames[part.range], origins[part.range], isEnd: part.isEnd))
        continue
      }
      for index in part.range where !frames[index].isThunk && !(part.isEnd && origins[index] == .beginning) {
        lines.append("\(number) \(frames[index].text(folder: folder))")
        number += 1
      }
    }
    return lines
  }

  /// The function of the program that an item of Signalbox's is, seen in the stack of the thread that runs it: what the outermost part
  /// of Signalbox's called.
  func calledOutermost(_ frames: [SymbolFrame]) -> String? {
    let origins = frames.map { self.origins.origin(of: $0) }
    guard let part = Self.parts(origins).last(where: \.isOwn) else { return nil }
    let inner = frames[..<part.range.lowerBound].last { !$0.isThunk && $0.name != nil }
    guard let inner, self.origins.origin(of: inner) == .program else { return nil }
    return functionText(inner)
  }

  /// An item's function, which has not got anywhere: without the distance from its beginning.
  func functionText(_ frame: SymbolFrame) -> String { frame.file == nil ? frame.function : frame.text(folder: folder) }

  /// Whether the function is the program's own.
  func isProgram(_ frame: SymbolFrame) -> Bool { origins.origin(of: frame) == .program }

  /// The innermost function of the program, with its line; the innermost of all if there is none.
  func place(_ frames: [SymbolFrame]) -> String? {
    (frames.first { !$0.isThunk && isProgram($0) } ?? frames.first)?.text(folder: folder)
  }

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
      let isWay = origins[start] != .program
      let end = origins[start...].firstIndex { ($0 != .program) != isWay } ?? origins.count
      parts.append(Part(range: start..<end, isOwn: isWay && origins[start..<end].contains(.own), isEnd: end == origins.count))
      start = end
    }
    return parts
  }

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
    let names = frames.map(\.function)
    if names.contains(where: { $0.holds("Worker.") || $0.holds("Item.run") }) { return "a worker thread" }
    return called(frames)
  }
}
