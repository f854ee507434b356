// SymbolFrame.swift: one function of a call stack: what is known of it, in words, and whose it is. Which lines of a stack are shown is
// StackText.swift; where names come from, SymbolText.swift.
import SignalboxSystem

/// A function that was under way, or one that the compiler put into another in its place.
struct SymbolFrame: Sendable, Equatable {
  /// As the compiler wrote it; nil if it is not known.
  var name: String?
  /// The source file's path.
  var file: String?
  /// The line in it.
  var line: Int?
  /// The path of the image that holds it; nil for none.
  var image: String?
  /// What stands for it where no line is known: `name + distance in image`, `image+0x…`, `0x…`.
  var plain: String

  /// Whose a function is.
  enum Origin: Equatable {
    /// Signalbox's.
    case own
    /// The way between Signalbox and the program: thunks, the standard library, the toolchain's Dispatch module, its concurrency runtime.
    case between
    /// How threads and programs begin.
    case beginning
    /// Everybody else's.
    case program
  }

  /// `function at file:line`, or what stands for it.
  func text(folder: String) -> String {
    guard let name, let file else { return plain }
    let path = !folder.isEmpty && file.hasPrefix(folder) ? String(file.dropFirst(folder.count)) : file
    return "\(SymbolNames.short(name)) at \(path):\(line ?? 0)"
  }

  /// The function alone.
  var function: String { name.map { SymbolNames.short($0) } ?? plain }

  /// Whether the compiler made it, to get from one function of the source to another.
  var isThunk: Bool { name.map { SymbolNames.isThunk($0) } ?? false }

  /// Reads what a helper writes: `FUNCTION at FILE:LINE`, or `FUNCTION`; `place` for the rest.
  init(answer: some StringProtocol, _ place: SymbolText.Place) {
    (image, plain) = (place.image, SymbolNames.short(String(answer)))
    // Names that compilers write have no spaces, paths may.
    guard let word = answer.firstPlace(of: " at "), let colon = answer.lastIndex(of: ":"), word.upperBound < colon,
      let number = Int(answer[colon...].dropFirst())
    else {
      name = String(answer)
      return
    }
    (name, file, line) = (String(answer[..<word.lowerBound]), String(answer[word.upperBound..<colon]), number)
  }

  /// The function that the image's own table has, or none.
  init(_ found: ImageFunctions.Found?, _ place: SymbolText.Place) {
    (name, image) = (found?.name, place.image)
    // The offset behind a name is the return address's.
    plain = found.map { "\(SymbolNames.short($0.name)) + \($0.distance &+ 1)\(place.ending)" } ?? place.plain
  }
}

/// Tells whose functions are.
struct FrameOrigins: Sendable {
  /// Our own image, where that is a library: all in it is ours.
  private let ownImage: String?

  /// The package's modules that can be part of a program: all whose functions are written in Swift.
  static let modules: Set<String> = [
    "Signalbox", "SignalboxABI", "SignalboxClasses", "SignalboxCNames", "SignalboxCommandLine", "SignalboxDiagnosis",
    "SignalboxDispatch", "SignalboxExplore", "SignalboxExplorer", "SignalboxFoundation", "SignalboxInspector",
    "SignalboxLaunch", "SignalboxLocks", "SignalboxMigrate", "SignalboxRecorder", "SignalboxSystem", "SignalboxTimeline",
    "SignalboxTool",
  ]
  private static let beginnings: Set<String> = [
    "start_thread", "clone", "clone3", "__clone3", "_start", "__libc_start_main", "__libc_start_call_main", "thread_start",
  ]

  init(_ images: MappedImages) {
    let own = StackCapture.addresses(limit: 1).first.flatMap { images.place(of: $0)?.image }
    ownImage = own == (try? Files.realPath("/proc/self/exe"))?.text ? nil : own
  }

  func origin(of frame: SymbolFrame) -> SymbolFrame.Origin {
    if let ownImage, frame.image == ownImage { return .own }
    guard let name = frame.name else { return frame.image.map(Self.isLibraryOfC) == true ? .beginning : .program }
    if name.hasPrefix("sb_") { return .own }
    let module = SymbolNames.module(name)
    if let module, Self.modules.contains(module) { return .own }
    // Generic functions of the standard library lie in the images that use them.
    if frame.isThunk || module == "Swift" || frame.image.map(Self.isRuntime) == true { return .between }
    if ownImage != nil, module == "Dispatch" { return .between }
    return Self.beginnings.contains(name) ? .beginning : .program
  }

  /// Whether the function is of the toolchain's Dispatch module, which calls for the program.
  static func isDispatch(_ frame: SymbolFrame) -> Bool { frame.name.flatMap { SymbolNames.module($0) } == "Dispatch" }

  private static func isRuntime(_ image: String) -> Bool {
    ["/libswift_Concurrency.so", "/libswiftCore.so"].contains { image.hasSuffix($0) }
  }
  private static func isLibraryOfC(_ image: String) -> Bool { image.split(separator: "/").last?.hasPrefix("libc.so") == true }
}
