// Instruments.swift: the one byte behind every fast path. Zero: nothing optional runs. What the bits switch is told above.
public import CSignalbox
public import Synchronization

/// The global byte of design rule "one cold path".
///
/// Bits: 0…6 belong to instruments (recorder, lock order, explorer, statistics), 7 says that this process is a forked child.
/// A fast path reads the byte once; when it is not zero, the out-of-line twin runs the hooks around the same inner function.
public enum Instruments {
  /// Set in the child of a fork, where the pool's threads do not exist.
  public static let forkedChild: UInt8 = 0x80

  /// The byte. SAFETY: written by atomic stores only; a relaxed one-byte load is what the plain read compiles to.
  @inlinable @inline(__always) public static var byte: UInt8 { cell.pointee.load(ordering: .relaxed) }

  /// Whether nothing optional is on.
  @inlinable @inline(__always) public static var areOff: Bool { _fastPath(byte == 0) }

  /// Sets the bits of `mask` to those of `bits`. Thread safety: any thread. Takes effect on the next primitives.
  public static func set(_ bits: UInt8, mask: UInt8 = 0x7F) {
    var old = cell.pointee.load(ordering: .relaxed)
    while true {
      let new = (old & ~mask) | (bits & mask)
      let result = cell.pointee.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if result.exchanged { return }
      old = result.original
    }
  }

  // SAFETY: the C global lives as long as the process, and Atomic<UInt8> has the layout of UInt8.
  @usableFromInline static var cell: UnsafeMutablePointer<Atomic<UInt8>> {
    @inlinable @inline(__always) get {
      UnsafeMutableRawPointer(sb_instruments_address()).assumingMemoryBound(to: Atomic<UInt8>.self)
    }
  }
}
