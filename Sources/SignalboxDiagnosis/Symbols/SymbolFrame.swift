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
  /// Whether it lies in Signalbox's C code, in this image.
  var isOwnC: Bool
  /// What stands for it where no line is known: `name + distance in image`, `image+0x…`, `0x…`.
  var plain: String

  /// Whose a function is.
  enum Origin: Equatable {
    /// Signalbox's.
    case own
    /// The way between Signalbox and the program: the standard library, the toolchain's Dispatch module, its concurrency runtime, and
    /// thunks of no module.
    case between
    /// How threads and programs begin.
    case beginning
    /// The C library's, or another of the toolchain's libraries'.
    case library
    /// All other code's.
    case program
  }

  /// `function at file:line`, or what stands for it.
  func text(folder: String) -> String {
    guard let name, let file else { return plain }
    let path = !folder.isEmpty && file.hasPrefix(folder) ? String(file.dropFirst(folder.count)) : file
    return "\(Self.words(name)) at \(path):\(line ?? 0)"
  }

  /// The function alone.
  var function: String { name.map { Self.words($0) } ?? plain }

  /// The name as people say it. One that several functions share is not known to be the right one.
  private static func words(_ name: String) -> String {
    SymbolNames.short(name) + (SymbolNames.isShared(name) ? " (or one that shares its code)" : "")
  }

  /// Whether the compiler made it, to get from one function of the source to another.
  var isThunk: Bool { name.map { SymbolNames.isThunk($0) } ?? false }

  /// Reads what a helper writes: `FUNCTION at FILE:LINE`, or `FUNCTION`; `place` for the rest.
  init(answer: some StringProtocol, _ place: SymbolText.Place) {
    (image, isOwnC, plain) = (place.image, place.isOwnC, Self.words(String(answer)))
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
    (name, image, isOwnC) = (found?.name, place.image, place.isOwnC)
    // The offset behind a name is the return address's.
    plain = found.map { "\(Self.words($0.name)) + \($0.distance &+ 1)\(place.ending)" } ?? place.plain
  }
}

/// Tells whose functions are: by the image that has them; in a program that contains Signalbox by the modules that say so (`CodeMarks`).
struct FrameOrigins: Sendable {
  /// Signalbox's own image, where that is a library: all in it is Signalbox's, and nothing else.
  private let ownImage: String?

  private static let beginnings: Set<String> = [
    "start_thread", "clone", "clone3", "__clone3", "_start", "__libc_start_main", "__libc_start_call_main", "thread_start",
  ]

  init(_ images: MappedImages) {
    let own = StackCapture.addresses(limit: 1).first.flatMap { images.place(of: $0)?.image }
    ownImage = own == (try? Files.realPath("/proc/self/exe"))?.text ? nil : own
  }

  init(ownImage: String?) { self.ownImage = ownImage }

  func origin(of frame: SymbolFrame) -> SymbolFrame.Origin {
    if frame.isOwnC { return .own }
    if let image = frame.image, let known = origin(image, frame.name) { return known }
    guard let name = frame.name else { return .program }
    let module = SymbolNames.module(name)
    if ownImage == nil, module.map(CodeMarks.modules.contains) == true { return .own }
    if Self.beginnings.contains(name) { return .beginning }
    switch module {
    // Generic functions of libraries lie in the images that use them; in static programs all of a library does.
    case "Swift", "_Concurrency": return .between
    case "Dispatch": return ownImage == nil ? .library : .between
    case "Foundation", "FoundationEssentials", "FoundationInternationalization": return .library
    case .some: return .program
    case nil: return frame.isThunk ? .between : Self.isCoreFoundations(name) ? .library : .program
    }
  }

  /// Whose a function is that lies in a library; nil for other images.
  private func origin(_ image: String, _ name: String?) -> SymbolFrame.Origin? {
    let file = image.split(separator: "/").last ?? ""
    if image == ownImage || file.hasPrefix("libSignalbox") { return .own }
    if ["libc.so", "ld-linux"].contains(where: { file.hasPrefix($0) }) {
      return name.map(Self.beginnings.contains) ?? true ? .beginning : .library
    }
    guard CallerOrigin.isToolchains(image) || file.hasPrefix("libswift") else { return nil }
    if file == "libswiftDispatch.so" { return ownImage == nil ? .library : .between }
    return file == "libswift_Concurrency.so" || file == "libswiftCore.so" ? .between : .library
  }

  /// Whether the function is of the toolchain's Dispatch module, which calls for the program.
  static func isDispatch(_ frame: SymbolFrame) -> Bool { frame.name.flatMap { SymbolNames.module($0) } == "Dispatch" }

  /// Foundation's part in C, which a static program contains.
  private static func isCoreFoundations(_ name: String) -> Bool {
    ["CF", "_CF", "__CF"].contains { name.hasPrefix($0) && name.dropFirst($0.count).first?.isUppercase == true }
  }
}
