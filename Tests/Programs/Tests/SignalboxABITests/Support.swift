// Support.swift: the built products beside these tests, and running one of them as a user would.
import SignalboxLaunch
import SignalboxSystem
import Testing

/// What the build put beside the tests.
enum Built {
  /// The folder, with a slash at its end.
  static func folder() throws -> String {
    let tests = try Files.realPath("/proc/self/exe").description
    return String(tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)])
  }

  /// The library under test.
  static func library() throws -> RawString { RawString(try folder() + Library.fileName) }

  /// The toolchain's libdispatch: it lies beside the runtime, whatever library these tests run on themselves.
  static func toolchainsLibrary() throws -> RawString {
    let runtime = try #require(ProcessInput.file(defining: "swift_retain")?.description)
    return RawString(runtime[...(runtime.lastIndex(of: "/") ?? runtime.startIndex)] + "libdispatch.so")
  }
}

/// One run of a program on our library.
struct Run {
  /// All that it and `signalbox run` wrote, on both streams.
  let text: String
  /// The exit status, or 128 and the signal's number.
  let status: Int32?

  /// `signalbox run OPTIONS -- PROGRAM ARGUMENT`, without a core file when it ends by a signal. With a limit it is ended after so
  /// many seconds, and the status is 124.
  init(
    _ program: String, _ argument: String, options: String = "", changes: [String: RawString] = [:], limit: Int? = nil
  ) throws {
    let folder = try Built.folder()
    var environment = EnvironmentList(ProcessInput.environment)
    environment.set("SIGNALBOX_LIBRARY", nil)
    for (name, value) in changes { environment.set(name, value) }
    let timeout = limit.map { "timeout \($0) " } ?? ""
    let line =
      "ulimit -c 0; \(timeout)'\(folder)signalbox' run \(options) -- '\(folder)\(program)' \(argument); echo \"status $?\""
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(line)], environment: environment.entries, seconds: 500)
    let lines = String(decoding: printed.bytes, as: UTF8.self)
    let last = lines.split(separator: "\n").last { $0.hasPrefix("status ") }
    text = lines
    status = last.flatMap { Int32($0.dropFirst(7)) }
  }
}
