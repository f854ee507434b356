// OtherProgram.swift: a program of this build or of another one, run to its end for what it prints.
import SignalboxSystem

/// A program that was built from this package.
public struct OtherProgram: Sendable {
  private let file: RawString

  /// Where it lies, for messages.
  public var path: String { file.description }

  /// The program `name` beside the running one.
  public static func beside(_ name: String) throws(Refusal) -> OtherProgram { try OtherProgram(Neighbour.path(name)) }

  /// The program `name` in the folder of another build.
  public static func inBuild(_ folder: String, _ name: String) throws(Refusal) -> OtherProgram {
    try OtherProgram(RawString(folder) + RawString("/") + RawString(name))
  }

  private init(_ file: RawString) throws(Refusal) {
    guard Files.mayExecute(file) else {
      throw Refusal(
        .programNotFound,
        "there is no \(file): name the release folder of a checkout, after `Scripts/build . Benchmarks -c release` there")
    }
    self.file = file
  }

  /// Runs it to its end, for this many seconds at most, and returns what it printed on both streams.
  ///
  /// - Throws: a refusal if it cannot be started, or does not exit with 0.
  public func run(_ arguments: [String], seconds: UInt64) throws(Refusal) -> String {
    let printed: Programs.Printed
    do throws(SystemError) {
      printed = try Programs.output(
        of: file, arguments: [file] + arguments.map { RawString($0) }, environment: ProcessInput.environment, seconds: seconds)
    } catch {
      throw Refusal(.programNotRunnable, "\(file) cannot be run: \(error.words)")
    }
    let text = String(decoding: printed.bytes, as: UTF8.self)
    guard printed.status == 0 else {
      let how = printed.status.map { "status \($0)" } ?? "a signal, or after \(seconds) s"
      throw Refusal(.programNotRunnable, "\(file) \(arguments.joined(separator: " ")) ended with \(how): \(text)")
    }
    return text
  }
}
