// ObjectNaming.swift: what reports call the objects that lie in layers above: by functions those layers install.
import SignalboxSystem

/// Names for objects whose threads stand still, at report time.
package enum ObjectNaming {
  /// Writes into `result`, a `String`, what a report calls the object at `address`; leaves it alone if it does not know.
  ///
  /// Called only for objects that a waiting thread refers to, so they are alive. May allocate.
  package typealias Function = @convention(c) (_ address: UInt, _ result: UnsafeMutableRawPointer) -> Void

  // One C function pointer for each kind, and one for frames, as bits; 0: none.
  private static let kinds = InlineArray<32, Atomic64> { _ in Atomic64(0) }
  private static let frames = Atomic64(0)

  /// Sets who names objects of these kinds, for the life of the process.
  package static func install(_ function: Function, for waits: [WaitKind]) {
    for kind in waits { kinds[Int(kind.rawValue)].storeRelease(bits(function)) }
  }
  /// Sets who tells what a thread is inside of: the argument is a frame's object with its kind in the low three bits.
  package static func installFrames(_ function: Function) { frames.storeRelease(bits(function)) }

  /// The object in words: by its layer's name for it, else by kind, address and, of a lock, its name.
  static func name(_ kind: WaitKind, _ address: UInt) -> String {
    ask(kinds[Int(kind.rawValue)], address) ?? LockNames.describe(kind, address)
  }
  static func frame(_ bits: UInt) -> String { ask(frames, bits) ?? "0x\(String(bits & ~7, radix: 16))" }

  private static func bits(_ function: Function) -> UInt64 {
    UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
  }
  private static func ask(_ cell: borrowing Atomic64, _ address: UInt) -> String? {
    // SAFETY: the bits are those of a C function of this type, set by `bits`.
    guard let raw = UnsafeRawPointer(bitPattern: UInt(cell.loadAcquire())) else { return nil }
    var result = ""
    withUnsafeMutablePointer(to: &result) { unsafeBitCast(raw, to: Function.self)(address, $0) }
    return result.isEmpty ? nil : result
  }
}
