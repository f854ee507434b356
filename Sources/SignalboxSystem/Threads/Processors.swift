// Processors.swift: how many processors this process may keep busy. Alone: the kernel's answer meets the groups'.
// Its affinity and its control groups' limits count, whichever is less. What the limits are is ProcessorLimit.swift.
import CSignalbox

/// The processors the process may use.
public enum Processors {
  /// The number of the processor that runs the calling thread at this moment; -1: unknown. No system call.
  public static var own: Int32 { sb_processor() }

  /// At least 1. Read anew at each call: affinity and limits may change. Costs a few file reads.
  public static func available() -> Int {
    var files = ProcessorFiles()
    return available(by: &files)
  }

  /// The same, for somebody who asks again and again. The affinity is the calling thread's, which its maker had.
  public static func available(by files: inout ProcessorFiles) -> Int {
    let allowed = max(1, Int(sb_affinity_count()))
    // The explorer's answer counts alone: it is the same in each run and on each machine.
    if Instruments.byte & Instruments.explorer != 0 { return allowed }
    return min(allowed, files.limit()?.processors ?? allowed)
  }
}
