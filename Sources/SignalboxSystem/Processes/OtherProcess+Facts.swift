// OtherProcess+Facts.swift: what else can be read of a process that is not ours, for the sentence that says why it cannot be asked.
import Glibc

extension OtherProcess {
  /// The kernel's letter for what a thread of a process does; nil when it is gone.
  public static func threadState(_ thread: String, of process: Int32) -> Character? {
    KernelThread.contents("/proc/\(process)/task/\(thread)/stat").flatMap(ProcessStat.init)?.state
  }

  /// Whether a process or one of its descendants computes, reads from a disk, or would compute if a processor were free: short reads of
  /// /proc, a few for each thread. Where the kernel lists no children, the process alone counts.
  ///
  /// - Parameter generations: how many are read, the process's own included.
  public static func isComputing(_ process: Int32, generations: Int = 2) -> Bool {
    guard generations > 0 else { return false }
    let folder = "/proc/\(process)/task"
    return ((try? Files.names(in: RawString(folder))) ?? []).contains { thread in
      if threadState(thread, of: process).map({ $0 == "R" || $0 == "D" }) == true { return true }
      let children = KernelThread.contents("\(folder)/\(thread)/children") ?? []
      return children.split(separator: UInt8(ascii: " ")).contains {
        Int32(String(decoding: $0, as: UTF8.self)).map { isComputing($0, generations: generations - 1) } == true
      }
    }
  }

  /// The environment that a process was started with; nil where the kernel does not show it.
  public static func environment(of process: Int32) -> [RawString]? {
    guard let file = try? FileBytes(RawString("/proc/\(process)/environ")) else { return nil }
    return file.read(at: 0, count: 4 << 20).split(separator: 0).map { RawString($0) }
  }
}
