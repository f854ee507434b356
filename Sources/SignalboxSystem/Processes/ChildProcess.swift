// ChildProcess.swift: a program followed while it runs: what it writes, and how it ends. One that merely prints is Programs.swift.
import CSignalbox
import Glibc

/// A program that was started, with both of its outputs in our hands. For one thread at a time.
///
/// Its standard input is empty, or what it is given; it blocks no signal and has no other descriptor of ours. Whoever drops it
/// ends it: a child that still runs then is killed.
public final class ChildProcess {
  /// How a process ended.
  public enum Ending: Equatable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)
  }

  /// The kernel's number of the process.
  public let id: Int32
  /// What it has written to standard output and we have not taken yet.
  public private(set) var output: [UInt8] = []
  /// What it has written to standard error so far.
  public private(set) var errorOutput: [UInt8] = []

  // Read ends of the two pipes; -1 once the other end is closed.
  private var ends: [Int32]
  private var ending: Ending?

  /// Starts `program` (a path) with arguments and with variables added to this process's environment.
  ///
  /// - Parameter input: what the child finds on its standard input; nothing without it.
  /// - Throws: `SystemError` when there is no descriptor, no process, or no such program; nothing is left open then.
  public init(
    _ program: String, _ arguments: [String], adding variables: [String: String] = [:], input: [UInt8] = []
  ) throws(SystemError) {
    let source = input.isEmpty ? nil : try Self.file(input)
    defer { if let source { close(source) } }
    let output = try Self.pipe()
    defer { close(output.writing) }
    let error: (reading: Int32, writing: Int32)
    do { error = try Self.pipe() } catch {
      close(output.reading)
      throw error
    }
    defer { close(error.writing) }
    ends = [output.reading, error.reading]
    do {
      id = try ProcessStart(
        path: RawString(program), arguments: ([program] + arguments).map { RawString($0) },
        environment: Self.environment(adding: variables), input: source, output: output.writing, error: error.writing
      ).run()
    } catch {
      for end in ends { close(end) }
      throw error
    }
  }

  deinit {
    if ending == nil {
      kill()
      _ = wait()
    }
    for end in ends where end >= 0 { close(end) }
  }

  /// Takes over what the child has written, waiting for it at most so long.
  ///
  /// - Returns: false once both outputs are at their end, as after the child's.
  public func read(milliseconds: Int32) -> Bool {
    guard ends.contains(where: { $0 >= 0 }) else { return false }
    let ready = sb_poll_readable(&ends, milliseconds)
    // EINTR: the caller asks again. ENOMEM passes likewise; other errors name a bad pointer, which is not what we gave.
    guard ready > 0 else { return true }
    for index in 0..<2 where ready >> Int32(index) & 1 == 1 { take(index) }
    return ends.contains { $0 >= 0 }
  }

  /// What becomes of lines without anything in them.
  public enum EmptyLines: Sendable {
    case leftOut, kept
  }

  /// Hands out the lines of standard output that are complete, and forgets them.
  public func takeLines(empty: EmptyLines = .leftOut) -> [String] {
    guard let last = output.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = output[..<last].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: empty == .leftOut)
    defer { output.removeSubrange(...last) }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Ends the child at once. No effect on one that has ended.
  public func kill() { if ending == nil { _ = Glibc.kill(id, SIGKILL) } }

  /// Waits for the child's end.
  public func wait() -> Ending {
    if let ending { return ending }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      // ECHILD: somebody else has taken the status, or the program ignores its children: how it ended is unknown.
      guard errno == EINTR else { return remember(.exited(-1)) }
    }
    // The low seven bits name the signal that ended a process, the byte above them its exit status.
    return remember(status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f))
  }

  private func remember(_ end: Ending) -> Ending {
    ending = end
    return end
  }

  private func take(_ index: Int) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = sb_read(ends[index], &buffer, buffer.count)
    if count == Int64(-EINTR) || count == Int64(-EAGAIN) { return }
    guard count > 0 else {
      // The end; EIO and the like as well: there is nothing more to read.
      close(ends[index])
      ends[index] = -1
      return
    }
    if index == 0 { output += buffer.prefix(Int(count)) } else { errorOutput += buffer.prefix(Int(count)) }
  }

  /// A file in memory that holds `bytes`, to be read from the beginning: unlike a pipe it takes any number of them at once.
  private static func file(_ bytes: [UInt8]) throws(SystemError) -> Int32 {
    let file = try checked("memfd_create", sb_memory_file())
    if let error = bytes.withUnsafeBytes({ WholeWrite.write($0, to: file) }) {
      close(file)
      throw error
    }
    lseek(file, 0, SEEK_SET)
    return file
  }

  private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try checked("pipe2", sb_pipe(&ends))
    return (ends[0], ends[1])
  }

  /// This process's environment with some variables set anew.
  private static func environment(adding variables: [String: String]) -> [RawString] {
    let names = Set(variables.keys.map { RawString($0).bytes })
    let kept = ProcessInput.environment.filter { !names.contains(Array($0.bytes.prefix { $0 != UInt8(ascii: "=") })) }
    return kept + variables.map { RawString("\($0.key)=\($0.value)") }
  }
}
