// Telling.swift: what goes to the terminal while schedules run, and files that a run replaces.
import SignalboxLaunch
import SignalboxSystem

/// One line on a terminal that tells what is running now, and vanishes afterwards. Nothing where standard error is none.
struct ProgressLine: Sendable {
  private let isShown = OwnProcess.errorIsTerminal

  /// Replaces the line.
  func show(_ text: String) { if isShown { StandardError.write("\r\u{1B}[K" + text) } }
  /// Removes it.
  func clear() { show("") }
}

enum ResultFile {
  /// Makes sure, before the work begins, that the file can be written.
  static func make(_ path: String) throws(Refusal) { try write("", to: path) }

  /// Replaces the file's text.
  static func write(_ text: String, to path: String) throws(Refusal) {
    do throws(SystemError) { try Files.replace(RawString(path), with: text) } catch {
      throw Refusal(.folderUnsafe, "\(path) cannot be written: \(error.words)")
    }
  }
}
