// ProgramFolder.swift: a folder for the files of one test, and programs that are run in it.
import SignalboxSystem

/// A new folder, removed with the value.
final class ProgramFolder: Sendable {
  let path: String
  /// Where the probes and the command lie, with a slash behind.
  static let programs: String = {
    let tests = ((try? Files.realPath("/proc/self/exe")) ?? "").description
    return String(tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)])
  }()

  init() throws { path = try Files.makeFreshFolder("/tmp/signalbox-tests-").description }
  deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Runs a line of the shell in the folder, where `$P` is the folder of the programs; what it prints, its errors as well.
  func shell(_ line: String, _ environment: [String: String] = [:], seconds: UInt64 = 500) throws -> String {
    let all = environment.merging(["P": Self.programs, "PATH": "/usr/bin:/bin", "HOME": path]) { $1 }
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString("cd '\(path)'; exec 2>&1; \(line)")],
      environment: all.map { RawString("\($0.key)=\($0.value)") }, seconds: seconds)
    return String(decoding: printed.bytes, as: UTF8.self)
  }

  /// The names of what lies in it.
  var names: [String] { ((try? Files.names(in: RawString(path))) ?? []).sorted() }
}
