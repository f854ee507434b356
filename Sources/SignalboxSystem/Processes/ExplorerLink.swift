// ExplorerLink.swift: the way to `signalbox explore`, which has preloaded a library into this program: it is told before each
// operation, and may let another thread go first. The trait's own points are Explore.swift.
import CSignalbox

/// The explorer that runs this program, if one does.
public enum ExplorerLink {
  private typealias Point = @convention(c) (_ primitive: UInt32, _ object: UInt, _ place: UInt) -> Void

  /// Looked up once, when the environment is read. A program that is merely given the variable finds no such function.
  private static let point: Point? = {
    guard Environment.value("SIGNALBOX_EXPLORE") == "1", let address = sb_find_symbol("signalbox_explore_point") else {
      return nil
    }
    // SAFETY: the preloaded library's function of that name has this type, and is never unloaded.
    return unsafeBitCast(address, to: Point.self)
  }()

  private typealias Ticks = @convention(c) () -> UInt64
  private static let ticksFunction: Ticks? = {
    guard isThere, let address = sb_find_symbol("signalbox_explore_ticks") else { return nil }
    // SAFETY: the preloaded library's function of that name has this type, and is never unloaded.
    return unsafeBitCast(address, to: Ticks.self)
  }()

  /// Virtual time for what the engine measures of itself. Whoever reads the clock again and again waits for it, and makes it go
  /// faster; the engine's reads before and after each job are no such wait. nil: there is no such explorer.
  static var ticks: UInt64? { ticksFunction?() }

  /// Whether there is one.
  static var isThere: Bool { point != nil }

  /// The calling thread is about to do `primitive` to `object`: others may run before it does.
  @inline(never)
  public static func pass(_ primitive: Int, object: UInt) { point?(UInt32(truncatingIfNeeded: primitive), object, 0) }
}
