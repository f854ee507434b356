// Console.swift: what people see: complaints and progress on standard error, totals on standard output.
import Glibc

enum Console {
  static func complain(_ text: String) { _ = write("\(subject.program): \(text)\n", to: STDERR_FILENO) }

  /// - Returns: 0, or the errno of the write that failed.
  static func write(_ text: String, to descriptor: CInt) -> CInt {
    var text = text
    return text.withUTF8 { utf8 in
      var rest = UnsafeRawBufferPointer(utf8)[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }
}

/// One line on a terminal, overwritten some times a second. Belongs to one queue; not for use by several.
// SAFETY: the tally that owns it calls it on its serial queue only.
final class Progress: @unchecked Sendable {
  private static let interval: UInt64 = 100_000_000
  private var next = DispatchTime.now().uptimeNanoseconds + Progress.interval
  private var isShown = false

  /// - Returns: nil unless standard error is a terminal.
  static func onTerminal() -> Progress? { isatty(STDERR_FILENO) == 1 ? Progress() : nil }

  func showIfDue(_ line: () -> String) {
    let now = DispatchTime.now().uptimeNanoseconds
    guard now >= next else { return }
    next = now + Self.interval
    isShown = true
    _ = Console.write("\r\u{1B}[K\(line())", to: STDERR_FILENO)
  }

  func clear() {
    if isShown { _ = Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    isShown = false
  }
}
