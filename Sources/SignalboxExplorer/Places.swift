// Places.swift: addresses of an explored program in the words of its source: function, file and line of the program's own code.
import CSignalboxExplore
import SignalboxLaunch
import SignalboxSystem

/// Where something is done.
struct Place: Equatable {
  var function: String
  var file: String?
  var line: Int?

  /// Whether it is a header's of the system: C++ has its locks there.
  fileprivate var isHeaders: Bool {
    guard let file else { return false }
    return file.hasPrefix("/usr/include/") || file.hasPrefix("/usr/lib/") || file.contains("/include/c++/")
  }

  /// Whether it is Signalbox's.
  fileprivate var isEngines: Bool {
    guard let file else { return true }
    return ["/Sources/Signalbox", "/Sources/CSignalbox"].contains { file.contains($0) }
  }

  /// `Store.swift:41` or the function's name.
  var short: String {
    guard let file, let line else { return function }
    return "\(file.split(separator: "/").last.map(String.init) ?? file):\(line)"
  }
  /// `debit(_:) at Store.swift:41`.
  var text: String { file == nil ? function : "\(function) at \(short)" }
}

/// The images of one program, and what lies at addresses in them.
struct Places {
  private struct Image {
    var path: String
    var start: UInt64
    var end: UInt64
    var base: UInt64
    var isOwn: Bool
  }
  private let isBundle: Bool
  private var images: [Image] = []
  private var known: [UInt64: Place] = [:]
  /// Whether the program's own file holds our code as well.
  private let holdsEngine: Bool

  /// The images that the process has mapped now; those that a run loads later stay unknown.
  init(process: Int32, program: RawString, holdsEngine: Bool) {
    self.holdsEngine = holdsEngine
    isBundle = program.description.hasSuffix(".xctest")
    guard let text = Files.text(RawString("/proc/\(process)/maps")) else { return }
    let main = (try? Files.realPath(program))?.text ?? program.description
    var bases: [String: UInt64] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      // Blanks stand between the numbers and the path.
      guard parts.count == 6, let path = parts.last.map({ String($0.drop { $0 == " " }) }), path.hasPrefix("/") else {
        continue
      }
      let range = parts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard range.count == 2, let offset = UInt64(parts[2], radix: 16) else { continue }
      if offset == 0, bases[path] == nil { bases[path] = range[0] }
      guard parts[1].contains("x") else { continue }
      images.append(
        Image(path: path, start: range[0], end: range[1], base: bases[path] ?? range[0], isOwn: Self.isOwn(path, main)))
    }
  }

  /// Whether it is the user's code, and neither the system's, the toolchain's nor ours.
  private static func isOwn(_ path: String, _ main: String) -> Bool {
    if path == main { return true }
    if path.hasPrefix("/lib") || path.hasPrefix("/usr/") || path.contains("/swift/linux/") { return false }
    return !["libSignalboxABI.so", "libSignalboxExplorePreload.so", "libdispatch.so"].contains { path.hasSuffix($0) }
  }

  /// Whether the program's code that the stack ends in has called the runtime of Swift's tasks, to run what the main queue brings.
  func isMainLoop(_ frames: [UInt64]) -> Bool {
    guard let own = frames.firstIndex(where: { image($0)?.isOwn == true }), own > 0 else { return false }
    return image(frames[own - 1])?.path.contains("libswift_Concurrency") == true
  }

  private func image(_ address: UInt64) -> Image? { images.first { $0.start <= address && address < $0.end } }

  /// Of a stack, innermost first, the frames to be named: the program's own.
  private func worthNaming(_ frames: [UInt64]) -> [UInt64] {
    Array(frames.lazy.filter { image($0)?.isOwn == true }.prefix(holdsEngine ? Int(SBX_STACK) : Self.mostNamed))
  }
  /// The innermost may be thunks without a line, or templates of C++'s library.
  private static let mostNamed = 12

  /// Asks for all of them at once.
  mutating func learn(_ stacks: [[UInt64]]) {
    let wanted = Set(stacks.flatMap(worthNaming)).filter { known[$0] == nil }.sorted()
    let questions = wanted.map { address in
      // A return address is that of the next instruction.
      image(address).flatMap { SymbolQuestion(line: "\($0.path) \(address - 1 - $0.base)") }
    }
    var index = 0
    Symbolication().answer(questions) { answer in
      if let frame = answer.frames.last {
        known[wanted[index]] = Place(function: SymbolNames.short(frame.name), file: frame.file, line: frame.line)
      }
      index += 1
    }
  }

  /// Whether it is what was generated to run the tests of a bundle: what is done there is the test library's.
  private func isRunner(_ place: Place) -> Bool {
    guard isBundle else { return false }
    if let file = place.file { return ["@__swiftmacro", ".derived/", "/LinuxMain.swift"].contains { file.contains($0) } }
    return place.function.contains("Runner.$main") || ["main", "_start"].contains(place.function)
  }

  /// The innermost place of the program's own; nil if nothing is known.
  func place(_ frames: [UInt64]) -> Place? {
    let named = worthNaming(frames).compactMap { known[$0] }.filter { !isRunner($0) && (!holdsEngine || !$0.isEngines) }
    let own = named.contains { !$0.isHeaders } ? named.filter { !$0.isHeaders } : named
    return own.first { ($0.line ?? 0) > 0 && $0.file?.hasSuffix("<compiler-generated>") != true } ?? own.first
  }
}
