// CallerOrigin.swift: whether the toolchain's own libraries called, rather than the program: what they do wrong is nothing that the
// program's author can mend. Takes no lock of the loader.
import CSignalbox

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
