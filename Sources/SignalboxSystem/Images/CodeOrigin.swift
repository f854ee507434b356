// CodeOrigin.swift: whose code an address belongs to: Signalbox's, the toolchain's, the thread sanitizer's. The file it
// belongs to is MappedImages.swift.
import CSignalbox

// MARK: Signalbox's, in this image

// Its C code lies in a section of its own. Each of its Swift modules leaves the address of one of its functions in a
// section of the image (OwnCode.swift); the function's name in the symbol table says what the module is called.

/// Signalbox's part of the image that contains it.
public enum CodeMarks {
  /// The modules whose Swift functions are Signalbox's; none if the image's file has no symbols. The first use reads that file.
  public static let modules: Set<String> = {
    var count = 0
    guard let marks = sb_code_marks(&count), count > 0 else { return [] }
    let images = MappedImages(), places = (0..<count).compactMap { images.place(of: marks[$0]) }
    guard let image = places.first?.image else { return [] }
    let functions = ImageFunctions.at(places.map { UInt64($0.offset) }, in: image)
    return Set(functions.compactMap { $0.flatMap { SymbolNames.module($0.name) } })
  }()

  /// The same of the image of the file at `path`, which may be another process's: by the marks' own names.
  public static func modules(in path: String) -> Set<String> {
    Set(ImageFunctions.names(holding: "7ownCode33_", in: path).compactMap(SymbolNames.module))
  }

  /// Whether the address lies in Signalbox's C code, in this image.
  public static func containsC(_ address: UInt) -> Bool { sb_is_own_code(address) != 0 }

  /// Where Signalbox's C code lies in the image of the file at `path`, from the image's beginning on; nil if the file has
  /// none.
  public static func codeOfC(in path: String) -> Range<UInt64>? { ImageFunctions.section("signalbox_text", in: path) }
}

// MARK: the toolchain's own libraries

// What they do wrong is nothing that the program's author can mend. Takes no lock of the loader.

/// Whose code a call comes from.
public enum CallerOrigin {
  /// Whether the code that called this library is one of the Swift toolchain's libraries, such as Foundation.
  ///
  /// Always false in a program that contains Signalbox: the toolchain's libraries know nothing of it.
  @inline(never) public static func isToolchain() -> Bool {
    let addresses = StackCapture.addresses(limit: 16)
    guard let own = addresses.first.flatMap({ sb_object_of($0) }), own.pointee != 0 else { return false }
    // Each return address lies behind its call, which is what is meant. One file's name lies in one place.
    let callers = addresses.lazy.compactMap { sb_object_of($0 - 1) }.filter { $0 != own }.map { String(cString: $0) }
    return isToolchain(callers, runtime: runtime)
  }

  /// The same for the files that hold the calls, innermost first, but for our own.
  static func isToolchain(_ files: some Sequence<String>, runtime: String) -> Bool {
    // The toolchain's Dispatch module calls for whoever called it.
    guard let caller = files.first(where: { !$0.hasSuffix("/libswiftDispatch.so") }), !runtime.isEmpty else { return false }
    return folder(caller) == runtime
  }

  /// Whether the library at `path` lies where the Swift runtime does. False for all where the program contains the runtime.
  public static func isToolchains(_ path: String) -> Bool { !runtime.isEmpty && folder(path) == runtime && path != program }
  private static let program = (try? Files.realPath("/proc/self/exe"))?.text

  private static func folder(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

  /// Where the Swift runtime lies.
  private static let runtime = (ProcessInput.file(defining: "swift_retain")?.text).map(folder) ?? ""
}

// MARK: the thread sanitizer's runtime

extension KernelCall {
  /// Whether the sanitizer's runtime sleeps here, in a thread of its own, which wakes every 100 ms and does nothing for
  /// the program.
  ///
  /// The runtime is part of the program and makes its calls itself; all other calls are instructions of the C library.
  public var isOfSanitizer: Bool { endsByTime && SanitizerThread.code?.contains(programCounter) == true }
}

private enum SanitizerThread {
  /// The part of memory in which the runtime's functions lie; nil without the sanitizer.
  static let code: Range<UInt>? = {
    let address = sb_sanitizer_address()
    guard address != 0 else { return nil }
    var found: Range<UInt>?
    MappedImages().forEach { range, _, _ in if range.contains(address) { found = range } }
    return found
  }()
}
