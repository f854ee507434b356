// Support.swift: what the tests of `run` and `env` share: a folder of their own, the built command, a library to put in place.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws { path = try Files.makeFreshFolder("/tmp/signalbox-tests-").description }

  deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  @discardableResult func file(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
    let descriptor = open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, mode) == 0 else {
      throw SystemError(call: "write", code: errno)
    }
    return self(name)
  }

  /// Copies a file with its permissions.
  @discardableResult func copy(_ file: String, as name: String) throws -> String {
    _ = try Programs.output(of: "/bin/cp", arguments: ["cp", RawString(file), RawString(self(name))], environment: [])
    return self(name)
  }
}

/// The command `signalbox` that the build put beside the tests.
struct Tool {
  /// HOME, and place for files.
  let home: TemporaryFolder
  private let command: RawString
  private let library: RawString
  private let toolchain: RawString

  init() throws {
    home = try TemporaryFolder()
    let tests = try Files.realPath("/proc/self/exe").bytes
    let folder = RawString(tests[...(tests.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
    command = folder + "signalbox"
    let dispatch = try #require(ProcessInput.file(defining: "dispatch_async_f")?.description)
    toolchain = RawString(dispatch.split(separator: "/").dropLast().map { "/" + $0 }.joined())
    let own = folder + RawString(Library.fileName)
    // Until it is built beside the command, the toolchain's own under our name: the loader sees no difference.
    if (try? FileStatus(of: own)) != nil {
      library = own
    } else {
      library = RawString(try home.copy(dispatch, as: Library.fileName))
    }
  }

  /// The command's file.
  var path: String { command.description }

  /// The library that programs get, without links.
  var libraryPath: String { (try? Files.realPath(library).description) ?? "" }

  func environment(_ changes: [String: RawString?] = [:]) -> EnvironmentList {
    var list = EnvironmentList([])
    list.set("PATH", "/usr/local/bin:/usr/bin:/bin")
    list.set("HOME", RawString(home.path))
    list.set("SIGNALBOX_LIBRARY", library)
    list.set("LD_LIBRARY_PATH", toolchain)
    for (name, value) in changes { list.set(name, value) }
    return list
  }

  /// What the command and the program print, on both streams, and the exit status.
  func run(_ arguments: RawString..., changes: [String: RawString?] = [:]) throws -> (text: String, status: Int32?) {
    let printed = try Programs.output(
      of: command, arguments: ["signalbox"] + arguments, environment: environment(changes).entries, seconds: 500)
    return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
  }

  /// A shell's line in which `$signalbox` is the command.
  func shell(_ line: String) throws -> (text: String, status: Int32?) {
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(line)],
      environment: environment(["signalbox": command]).entries, seconds: 500)
    return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
  }
}
