// Exploration.swift: whether an explorer chooses which thread goes on. Then nothing may depend on time, load or luck:
// no thread spins or is patient for a while, no item is measured, no sampler hurries. The rest is the same. How the
// explorer is called is ExplorerLink.swift.

/// Questions of the layers above.
public enum Exploration {
  /// Whether a thread of the process may be explored: all of the program's, or some in a test.
  @inlinable @inline(__always) public static var isOn: Bool { Instruments.byte & Instruments.explorer != 0 }

  /// Whether the whole program is.
  @inline(__always) public static var isOfProgram: Bool { ExplorerLink.isThere }

  /// Whether the calling thread is, by an explorer in this process.
  @inline(__always) public static var isOfCaller: Bool { ExplorerLink.isCallerExplored }
}
