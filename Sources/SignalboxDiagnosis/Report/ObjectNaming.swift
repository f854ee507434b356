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
  private static let labels = Atomic64(0)
  private static let descriptions = InlineArray<32, Atomic64> { _ in Atomic64(0) }

  /// Sets who names objects of these kinds, for the life of the process.
  package static func install(_ function: Function, for waits: [WaitKind]) {
    for kind in waits { kinds[Int(kind.rawValue)].storeRelease(bits(function)) }
  }
  /// Sets who tells what a thread is inside of: the argument is a frame's object with its kind in the low three bits.
  package static func installFrames(_ function: Function) { frames.storeRelease(bits(function)) }
  /// Sets who tells the label of the queue that a frame is of: the argument is as for frames.
  package static func installLabels(_ function: Function) { labels.storeRelease(bits(function)) }

  /// Sets who tells what `print` shows of objects of these kinds, for the life of the process.
  package static func installDescriptions(_ function: Function, for waits: [WaitKind]) {
    for kind in waits { descriptions[Int(kind.rawValue)].storeRelease(bits(function)) }
  }

  /// The object as `print` shows it; of a lock whose word is not the object `word` tells who holds it.
  static func description(_ kind: WaitKind, _ address: UInt, _ word: OwnerWord? = nil) -> String {
    if let text = ask(descriptions[Int(kind.rawValue)], address) { return text }
    let holder = word.map { $0.reading == .lock || $0.reading == .once ? OwnerReader.read($0).owner : 0 } ?? 0
    return ObjectText.lock(kind, address, state: holder == 0 ? nil : ObjectText.held(by: holder))
  }

  /// The object in words: by its layer's name for it, else by kind, address and, of a lock, its name.
  static func name(_ kind: WaitKind, _ address: UInt) -> String {
    ask(kinds[Int(kind.rawValue)], address) ?? LockNames.describe(kind, address)
  }
  /// The label of the innermost queue whose items are taken, of these frames of a thread; nil if there is none, or it has none.
  static func drainedLabel(_ frames: [UInt]) -> String? {
    let drain = frames.first { bits in
      let kind = ThreadFrame.Kind(rawValue: bits & 7)
      return kind == .drainAlone || kind == .drainShared
    }
    return drain.flatMap { ask(labels, $0) }
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
