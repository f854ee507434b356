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

  /// Whether there is one.
  package static var isThere: Bool { point != nil }

  /// The calling thread is about to do `primitive` to `object`: others may run before it does.
  @inline(never)
  public static func pass(_ primitive: Int, object: UInt) { point?(UInt32(truncatingIfNeeded: primitive), object, 0) }
}
