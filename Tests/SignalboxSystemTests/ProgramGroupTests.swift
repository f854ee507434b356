// ProgramGroupTests.swift: a program that is run in a process group of its own: what it has started ends with it.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Programs in groups of their own") struct ProgramGroupTests {
  /// Whether the process is there, and no corpse that another process has not reaped yet.
  private func lives(_ process: pid_t) -> Bool {
    guard let bytes = try? Files.contents(RawString("/proc/\(process)/stat")) else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: ")").last?.first { $0 != " " } != "Z"
  }

  @Test(
    "A process that the program leaves behind is ended, whether the program ends by itself or is stopped",
    arguments: [true, false])
  func leftBehind(endsItself: Bool) throws {
    let script = "sleep 1000 >/dev/null 2>&1 & echo $!" + (endsItself ? "" : "; sleep 1000")
    let ran = try Programs.watch(
      "/bin/sh", arguments: ["sh", "-c", RawString(script)], environment: ProcessInput.environment,
      nanoseconds: 60_000_000_000
    ) { endsItself || $0.isEmpty }
    #expect(ran.end == (endsItself ? .exit(0) : .stopped))
    let left = try #require(pid_t(String(decoding: ran.bytes, as: UTF8.self).split(separator: "\n")[0]))
    #expect(eventually { !lives(left) })
  }
}
