// ExploreWrites.swift: which cache lines workers write under the trait `Explore`, and how often by an update: what many processors would pass to
// and fro. Counts while threads run as they are; what chooses their order is ExploreControl.swift.
#if Explore
import CSignalbox
import SignalboxWords

/// Counts the updates (read, modify, write) of words by cache line. Thread safety: `start` and `stop` for one thread; the rest for the seam.
public enum ExploreWrites {
  private static let isOn = ExploreWord()
  private static let size = 1 << 14

  /// One line. relaxed throughout, as ExploreWord is.
  private struct Line: ~Copyable, Sendable {
    /// The line's address, or 0.
    let address = ExploreWord()
    let updates = ExploreWord()
    /// Workers that wrote to it: one bit each, by their slots.
    let workers = ExploreWord()
    /// How often it was updated by another worker than the last.
    let passes = ExploreWord()
    let last = ExploreWord()
  }
  // SAFETY: memory of process life, of words that may be used from any thread.
  nonisolated(unsafe) private static let lines: UnsafeMutablePointer<Line> = {
    let lines = UnsafeMutablePointer<Line>.allocate(capacity: size)
    for number in 0..<size { (lines + number).initialize(to: Line()) }
    return lines
  }()

  /// What was counted.
  public struct Count: Sendable {
    /// Updates of lines that more than one worker has written.
    public var shared = 0
    /// Of these, those that found the line last updated by another worker.
    public var passed = 0
    /// All updates.
    public var all = 0
  }

  /// Counts from zero.
  public static func start() {
    for number in 0..<size {
      let line = lines + number
      line.pointee.address.store(0)
      line.pointee.updates.store(0)
      line.pointee.workers.store(0)
      line.pointee.passes.store(0)
      line.pointee.last.store(0)
    }
    isOn.store(1)
  }

  /// Ends counting.
  public static func stop() -> Count {
    isOn.store(0)
    var count = Count()
    for number in 0..<size {
      let line = lines + number
      count.all += line.pointee.updates.load()
      guard line.pointee.workers.load().nonzeroBitCount > 1 else { continue }
      count.shared += line.pointee.updates.load()
      count.passed += line.pointee.passes.load()
    }
    return count
  }

  /// An operation that writes is about to be done.
  @inline(__always) static func pass(_ point: ExplorePoint, _ word: UnsafeRawPointer) {
    if isOn.load() == 1, point != .load { note(point, Int(bitPattern: word) >> 6) }
  }

  @inline(never) private static func note(_ point: ExplorePoint, _ address: Int) {
    guard let line = line(address) else { return }
    let thread = sb_thread_get().pointee
    let worker = thread.worker == nil ? 0 : Int(OwnerValue.slot(of: thread.owner))
    if worker != 0 { line.pointee.workers.or(1 << (worker & 62)) }
    guard point == .update else { return }
    line.pointee.updates.add(1)
    if worker != 0, line.pointee.last.load() != worker {
      if line.pointee.last.load() != 0 { line.pointee.passes.add(1) }
      line.pointee.last.store(worker)
    }
  }

  private static func line(_ address: Int) -> UnsafeMutablePointer<Line>? {
    var place = (address &* 0x9E37_79B9) & (size - 1)
    for _ in 0..<64 {
      let line = lines + place
      if line.pointee.address.load() == address || line.pointee.address.claim(address) { return line }
      place = (place + 1) & (size - 1)
    }
    return nil
  }
}
#endif
