// ProcessFiles.swift: what the kernel shows of another process in files that are its memory's, not its first thread's:
// they are empty below the process's own number once that thread has ended.
package enum ProcessFiles {
  /// A thread of the process that has not ended; the first one's number where there is none.
  package static func livingThread(of process: Int32) -> Int32 {
    let tasks = (try? Files.names(in: RawString("/proc/\(process)/task"))) ?? []
    return tasks.compactMap { Int32($0) }.first { KernelThread.sample(UInt64($0), ofProcess: process)?.hasEnded == false }
      ?? process
  }

  /// The first `most` bytes of the file of that name: `maps`, `auxv`; none where the kernel does not show it.
  package static func contents(_ name: String, of process: Int32, most: Int) -> [UInt8] {
    let path = "/proc/\(process)/task/\(livingThread(of: process))/\(name)"
    return (try? FileBytes(RawString(path)))?.read(at: 0, count: most) ?? []
  }
}
