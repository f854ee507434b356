// Terminal.swift: a terminal whose contents a command renews, and whose keys it hears at once; left as it was.
import CSignalbox
import Glibc

/// The terminal of standard input and output, while a command shows something there that changes. For one thread.
public final class Terminal {
  private var before = termios()
  private var isChanged = false

  /// What `key` says when nothing can be typed any more.
  public static let end: UInt8 = 4

  /// Whether standard error is one.
  public static var isStandardError: Bool { isatty(STDERR_FILENO) == 1 }

  /// How many characters fit into a line of standard output; nil: that is no terminal.
  public static var columns: Int? { isatty(STDOUT_FILENO) == 1 ? measured.columns : nil }

  /// nil: standard input or output is none.
  public init?() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
    var mode = before
    // Keys come at once and are not shown; Ctrl-C is one of them, so that what is shown can be taken away.
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0 else { return nil }
    isChanged = true
    // Another page, so that what stood there before comes back; no cursor.
    Self.write("\u{1b}[?1049h\u{1b}[?25l")
  }

  deinit { restore() }

  /// Leaves the terminal as it was.
  public func restore() {
    guard isChanged else { return }
    isChanged = false
    Self.write("\u{1b}[?25h\u{1b}[?1049l")
    _ = tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  /// How much fits.
  public var size: (columns: Int, rows: Int) { Self.measured }

  private static var measured: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows these lines in place of those before.
  public func renew(_ lines: [String]) {
    // Each line to its end, then what is below: without a flicker of emptiness.
    Self.write("\u{1b}[H" + lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
  }

  private static func write(_ text: String) {
    var copy = text
    // An error: the terminal is gone, and its keys tell.
    copy.withUTF8 { _ = WholeWrite.write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
  }

  /// The next key that is pressed until `deadline` of uptime; nil: none.
  public func key(until deadline: UInt64) -> UInt8? {
    var ends: [Int32] = [STDIN_FILENO, -1]
    while true {
      let now = Clock.uptime()
      let left = deadline > now ? Int32(clamping: (deadline - now) / 1_000_000 + 1) : 0
      let ready = sb_poll_readable(&ends, left)
      if ready == Int32(-EINTR) { continue }
      guard ready > 0 else { return nil }
      var key: UInt8 = 0
      let count = sb_read(STDIN_FILENO, &key, 1)
      if count == Int64(-EINTR) { continue }
      return count == 1 ? key : Self.end
    }
  }
}
