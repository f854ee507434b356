// ExplorerLink.swift: the way to `signalbox explore`, which has preloaded a library into this program: it is told before each
// operation, and may let another thread go first. The trait's own points are Explore.swift.
import CSignalbox

/// The explorer that runs this program, if one does.
public enum ExplorerLink {
  private typealias Point = @convention(c) (_ primitive: UInt32, _ object: UInt, _ place: UInt) -> Void
  private typealias Thread = @convention(c) (_ number: UInt64) -> UInt64

  // Looked up once, when the environment is read. A program that is merely given the variable finds no such functions.
  // SAFETY, both: the preloaded library's function of that name has this type, and is never unloaded.
  private static let point = find("signalbox_explore_point").map { unsafeBitCast($0, to: Point.self) }
  private static let thread = find("signalbox_explore_thread").map { unsafeBitCast($0, to: Thread.self) }

  private static func find(_ name: StaticString) -> UnsafeMutableRawPointer? {
    Environment.value("SIGNALBOX_EXPLORE") == "1" ? sb_find_symbol(name.cString) : nil
  }

  /// What the thread does under control; nil where there is no explorer, or it does not know the thread. Its time is counted in its own
  /// steps: what the kernel says differs from run to run.
  static func sample(_ id: UInt64) -> KernelThread? {
    guard let known = thread?(id), known != 0 else { return nil }
    let (isWaiting, hasEnded) = (known & 3 == 2, known & 3 == 3)
    return KernelThread(isAsleep: isWaiting, isWaiting: isWaiting, hasEnded: hasEnded, runTime: known >> 2)
  }

  /// Whether there is one.
  package static var isThere: Bool { point != nil }

  /// The calling thread is about to do `primitive` to `object`: others may run before it does.
  @inline(never)
  public static func pass(_ primitive: Int, object: UInt) { point?(UInt32(truncatingIfNeeded: primitive), object, 0) }
}
