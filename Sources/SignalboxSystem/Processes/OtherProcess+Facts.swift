// OtherProcess+Facts.swift: what else can be read of a process that is not ours, for the sentence that says why it cannot be asked.
import Glibc

extension OtherProcess {
  /// The kernel's letter for what a thread of a process does; nil when it is gone.
  public static func threadState(_ thread: String, of process: Int32) -> Character? {
    KernelThread.contents("/proc/\(process)/task/\(thread)/stat").flatMap(ProcessStat.init)?.state
  }

  /// The environment that a process was started with; nil where the kernel does not show it.
  public static func environment(of process: Int32) -> [RawString]? {
    guard let file = try? FileBytes(RawString("/proc/\(process)/environ")) else { return nil }
    return file.read(at: 0, count: 4 << 20).split(separator: 0).map { RawString($0) }
  }
}
