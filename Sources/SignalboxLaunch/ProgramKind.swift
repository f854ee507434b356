// ProgramKind.swift: what stands behind a program's name: a program of the machine, or a script and the program that
// runs it.
import SignalboxSystem

/// A program's file, followed through `#!` lines to the program that the kernel loads.
struct ProgramKind {
  enum Ending {
    case image(ElfImage)
    /// It may be executed but not read.
    case unreadable
    /// It is of a kind that only the kernel knows, or not there.
    case foreign
  }

  /// The files on the way, the named one first; the last is the one that the ending describes.
  private(set) var files: [RawString]
  private(set) var ending = Ending.unreadable

  var isScript: Bool { files.count > 1 }
  var loaded: RawString { files[files.count - 1] }

  /// Follows at most five lines, as the kernel does.
  init(_ program: RawString, search: ProgramSearch) {
    files = [program]
    for _ in 0..<6 {
      guard let file = try? FileBytes(loaded) else {
        if (try? FileStatus(of: loaded)) == nil { ending = .foreign }
        return
      }
      if let image = ElfImage(file) {
        ending = .image(image)
        return
      }
      guard let script = Script(file.read(at: 0, count: 256)) else {
        ending = .foreign
        return
      }
      files.append(script.interpreter)
      if let name = script.nameForEnv, let found = try? search.find(name) { files.append(found) }
    }
  }
}
