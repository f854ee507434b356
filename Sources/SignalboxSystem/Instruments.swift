// Instruments.swift: the one byte behind every fast path. Zero: nothing optional runs. What the bits switch is told above.
public import CSignalbox
public import Synchronization

/// The global byte of design rule "one cold path".
///
/// Each bit belongs to one instrument (recorder, lock order, explorer, statistics). A fast path reads the byte once; when it is
/// not zero, the out-of-line twin runs the hooks around the same inner function. In the child of a fork the byte is full, so
/// that every primitive passes the twin, which stops the program.
public enum Instruments {
  /// Whether this process is the child of a fork of one in which Signalbox had threads.
  public static var isForkedChild: Bool { forkedCell.pointee.load(ordering: .relaxed) != 0 }

  /// Marks this process as the child of a fork. Called between fork and the child's first step: no other thread exists.
  public static func markForkedChild() {
    forkedCell.pointee.store(1, ordering: .relaxed)
    cell.pointee.store(0xFF, ordering: .relaxed)
  }

  /// The byte. SAFETY: written by atomic stores only; a relaxed one-byte load is what the plain read compiles to.
  @inlinable @inline(__always) public static var byte: UInt8 { cell.pointee.load(ordering: .relaxed) }

  /// Whether nothing optional is on.
  @inlinable @inline(__always) public static var areOff: Bool { _fastPath(byte == 0) }

  /// Sets the bits of `mask` to those of `bits`. Thread safety: any thread. Takes effect on the next primitives.
  public static func set(_ bits: UInt8, mask: UInt8 = 0xFF) {
    var old = cell.pointee.load(ordering: .relaxed)
    while true {
      let new = (old & ~mask) | (bits & mask)
      let result = cell.pointee.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if result.exchanged { return }
      old = result.original
    }
  }

  // SAFETY: both C globals live as long as the process, and Atomic<UInt8> has the layout of UInt8.
  private static var forkedCell: UnsafeMutablePointer<Atomic<UInt8>> {
    UnsafeMutableRawPointer(sb_forked_child_address()).assumingMemoryBound(to: Atomic<UInt8>.self)
  }
  @usableFromInline static var cell: UnsafeMutablePointer<Atomic<UInt8>> {
    @inlinable @inline(__always) get {
      UnsafeMutableRawPointer(sb_instruments_address()).assumingMemoryBound(to: Atomic<UInt8>.self)
    }
  }
}
