// Instruments.swift: the one byte behind every fast path. Zero: nothing optional runs. Which events its bits switch on
// is EventKind+Subscribers.swift (SignalboxWords). One of the bits says that an explorer chooses which thread goes on.
public import CSignalbox
public import SignalboxWords
public import Synchronization

/// The global byte of design rule "one cold path".
///
/// Each bit belongs to one subscriber of the engine's events. A fast path reads the byte once; when it is not zero, the
/// out-of-line twin emits events around the same inner function. In the child of a fork the byte is full, so that every
/// primitive passes the twin, which stops the program.
public enum Instruments {
  /// Whether this process is the child of a fork of one in which Signalbox had threads.
  public static var isForkedChild: Bool {
    // relaxed: written when the process has one thread, before it makes others.
    forkedCell.pointee.load(ordering: .relaxed) != 0
  }

  /// Marks this process as the child of a fork. Called between fork and the child's first step: no other thread exists.
  public static func markForkedChild() {
    // relaxed: there is no other thread yet, and making one orders what came before.
    forkedCell.pointee.store(1, ordering: .relaxed)
    cell.pointee.store(0xFF, ordering: .relaxed)
  }

  /// The bit of `EventSubscribers.counts`.
  @inlinable public static var counts: UInt8 { EventSubscribers.counts.rawValue }
  /// The bit of `EventSubscribers.lockOrder`.
  @inlinable public static var lockOrder: UInt8 { EventSubscribers.lockOrder.rawValue }
  /// The bit of `EventSubscribers.lockStatistics`.
  @inlinable public static var lockStatistics: UInt8 { EventSubscribers.lockStatistics.rawValue }
  /// The bit of `EventSubscribers.stallDetector`.
  @inlinable public static var stallDetector: UInt8 { EventSubscribers.stallDetector.rawValue }
  /// The bit of `EventSubscribers.explorer`.
  @inlinable public static var explorer: UInt8 { EventSubscribers.explorer.rawValue }
  /// The bit of `EventSubscribers.recorder`.
  @inlinable public static var recorder: UInt8 { EventSubscribers.recorder.rawValue }
  /// The bit of `EventSubscribers.mainLimit`.
  @inlinable public static var mainLimit: UInt8 { EventSubscribers.mainLimit.rawValue }
  /// The bit of `EventSubscribers.figures`.
  @inlinable public static var figures: UInt8 { EventSubscribers.figures.rawValue }
  /// The bits under which threads keep a list of the locks they hold.
  @inlinable public static var lockTracking: UInt8 { lockOrder | lockStatistics }

  /// The byte. SAFETY: written by atomic stores only; a relaxed one-byte load is what the plain read compiles to.
  @inlinable @inline(__always) public static var byte: UInt8 {
    // relaxed: it says only which path to take; whoever needs what was prepared for an instrument reads `snapshot`.
    cell.pointee.load(ordering: .relaxed)
  }

  /// Whether nothing optional is on, but for `figures`.
  @inlinable @inline(__always) public static var areOff: Bool { _fastPath(byte & 0x7F == 0) }

  /// The byte, and above it how often the tracking of locks was switched on: one consistent view.
  ///
  /// What a thread noted of its locks under one count says nothing under the next: while the tracking was off it may have
  /// given them back unseen.
  public static var snapshot: UInt64 {
    // acquire E1: pairs with E2; what was prepared before the bit was set is visible.
    word.pointee.load(ordering: .acquiring)
  }

  /// Sets the bits of `mask` to those of `bits`. Thread safety: any thread. Takes effect on the next primitives.
  public static func set(_ bits: UInt8, mask: UInt8 = 0xFF) {
    var old = word.pointee.load(ordering: .relaxed)  // relaxed: the swap re-checks
    while true {
      let byte = (UInt8(truncatingIfNeeded: old) & ~mask) | (bits & mask)
      let starts = byte & lockTracking != 0 && UInt8(truncatingIfNeeded: old) & lockTracking == 0
      let new = (old & ~0xFF | UInt64(byte)) &+ (starts ? 0x100 : 0)
      // release E2: see E1.
      let result = word.pointee.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
      if result.exchanged { return }
      old = result.original
    }
  }

  /// The variable that names the file of a recording. It sets the recorder's bit before the program begins (csignalbox.c); who has the
  /// recorder opens the file, at the first event.
  public static let recordVariable = "SIGNALBOX_RECORD"

  /// Switches on what the environment asks for, at the first call; the first thread that gets a slot makes it.
  static func readEnvironment() { _ = fromEnvironment }
  private static let fromEnvironment: Void = {
    let order = Environment.value("SIGNALBOX_LOCK_ORDER") ?? "off"
    if order == "report" || order == "stop" {
      set(lockOrder, mask: lockOrder)
    } else if order != "off" {
      Misuse.report("SIGNALBOX_LOCK_ORDER=\(order) is not off, report or stop: lock order is not validated")
    }
    let counts = Environment.value("SIGNALBOX_LOCK_STATISTICS") ?? "0"
    if counts == "1" { set(lockStatistics, mask: lockStatistics) }
    if StallPeriod.fromEnvironment != nil { set(stallDetector, mask: stallDetector) }
    if MainLimit.fromEnvironment != nil { set(mainLimit, mask: mainLimit) }
    let figures = Environment.value("SIGNALBOX_FIGURES") ?? "0"
    if figures == "1" {
      set(Self.figures, mask: Self.figures)
    } else if figures != "0" {
      Misuse.report("SIGNALBOX_FIGURES=\(figures) is not 0 or 1: queues are not counted")
    }
    if ExplorerLink.isThere {
      set(explorer, mask: explorer)
    } else if InspectionRequest.isWanted {
      set(Self.figures, mask: Self.figures)
      inspection?()
    }
  }()

  // SAFETY: written while images are loaded, by one thread, and read by the first thread that gets a slot.
  /// Begins to answer those who ask what the process is doing: left here by the layer that does, called when the first thread gets a slot.
  nonisolated(unsafe) package static var inspection: (@convention(c) @Sendable () -> Void)?

  // SAFETY: the C globals live as long as the process; Atomic<UInt8> and Atomic<UInt64> have the layout of their integers. The
  // byte is the first of the word's: an access of either size sees what accesses of the other have written.
  private static var forkedCell: UnsafeMutablePointer<Atomic<UInt8>> {
    UnsafeMutableRawPointer(sb_forked_child_address()).assumingMemoryBound(to: Atomic<UInt8>.self)
  }
  private static var word: UnsafeMutablePointer<Atomic<UInt64>> {
    UnsafeMutableRawPointer(sb_instruments_word()).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  @usableFromInline static var cell: UnsafeMutablePointer<Atomic<UInt8>> {
    @inlinable @inline(__always) get {
      UnsafeMutableRawPointer(sb_instruments_address()).assumingMemoryBound(to: Atomic<UInt8>.self)
    }
  }
}

// MARK: an explorer

// It chooses which thread goes on. Then nothing may depend on time, load or luck: no thread spins or is patient for a
// while, no item is measured, no sampler hurries. The rest is the same. How it is called is ExplorerLink.swift.

/// Questions of the layers above.
public enum Exploration {
  /// Whether a thread of the process may be explored: all of the program's, or some in a test.
  @inlinable @inline(__always) public static var isOn: Bool { Instruments.byte & Instruments.explorer != 0 }

  /// Whether the whole program is.
  @inline(__always) public static var isOfProgram: Bool { ExplorerLink.isThere }

  /// Whether the calling thread is, by an explorer in this process.
  @inline(__always) public static var isOfCaller: Bool { ExplorerLink.isCallerExplored }
}
