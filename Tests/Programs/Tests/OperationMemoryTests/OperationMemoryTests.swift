// OperationMemoryTests.swift: whoever reads operations that threads wait for touches none that is gone: on a heap that keeps
// freed memory closed (Tests/GuardedHeap).
import Glibc
import SignalboxSystem
import Testing

@Suite("Reading operations that threads wait for never touches freed ones") struct OperationMemoryTests {
  /// The heap, built by the toolchain's own compiler for C.
  private static func heap() throws -> String {
    let tests = #filePath.folder(above: "Programs")
    let library = "/tmp/signalbox-heap-\(getpid())-\(UInt64.random(in: 0 ... .max)).so"
    let line =
      "PATH=\"$PATH:$(dirname \"$(readlink -f \"$(command -v swift)\")\")\" "
      + "clang -O2 -shared -fPIC '\(tests)GuardedHeap/guarded-heap.c' -o '\(library)' 2>&1 && echo built"
    let said = try shell(line)
    try #require(said.hasSuffix("built\n"), "\(said)")
    return library
  }

  private static func shell(_ line: String) throws -> String {
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(line)], environment: ProcessInput.environment, seconds: 500)
    return String(decoding: printed.bytes, as: UTF8.self)
  }

  @Test(
    "Random graphs of operations with waits, cancels and removed dependencies touch no freed memory", .timeLimit(.minutes(10)))
  func graphs() throws {
    let library = try Self.heap()
    defer { unlink(library) }
    let tests = try Files.realPath("/proc/self/exe").description
    let folder = String(tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)])
    for seed in 1...3 {
      let variables = "LD_PRELOAD='\(library)'"
      let said = try Self.shell("ulimit -c 0; \(variables) '\(folder)OperationGraphProbe' 2 \(seed) 2>&1; echo \"status $?\"")
      #expect(said == "done\nstatus 0\n", "\(said)")
    }
  }
}

extension String {
  /// Of a path: what comes before the last folder of that name.
  fileprivate func folder(above folder: String) -> String {
    let parts = split(separator: "/", omittingEmptySubsequences: false)
    return parts[..<(parts.lastIndex { $0 == folder } ?? parts.endIndex)].joined(separator: "/") + "/"
  }
}
