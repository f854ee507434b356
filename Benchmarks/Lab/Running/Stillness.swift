// Stillness.swift: whether a process hangs, told from its threads and not from the time alone.
import SignalboxSystem

/// Observes the threads of another process that a scenario has heard of.
///
/// It hangs when for a while none of them was seen awake, none of them has used the processor, and nothing was reported. A
/// thread that merely gets no processor is awake to the kernel, so a busy machine does not look like a hang.
struct Stillness {
  private let process: Int32
  private let wanted: UInt64
  private var since: UInt64
  private var runTimes: [UInt64: UInt64] = [:]

  init(process: Int32, milliseconds: Int) {
    self.process = process
    wanted = UInt64(milliseconds) * 1_000_000
    since = Clock.uptime()
  }

  /// Begins anew.
  mutating func disturb() {
    since = Clock.uptime()
    runTimes = [:]
  }

  /// Scans `threads`; true when all have been still for long enough.
  mutating func isReached(_ threads: Set<UInt64>) -> Bool {
    let now = Clock.uptime()
    for id in threads {
      // A thread that has ended is still.
      guard let thread = KernelThread.sample(id, ofProcess: process) else { continue }
      if let before = runTimes.updateValue(thread.runTime, forKey: id), before == thread.runTime, thread.isAsleep { continue }
      since = now
    }
    return now - since >= wanted
  }
}
