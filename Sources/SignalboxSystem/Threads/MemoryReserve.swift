// MemoryReserve.swift: address space that is kept for a report, so that one comes out of a program that has used up all it may have.

/// Address space for one report. A program at its limit of address space (RLIMIT_AS) can allocate nothing, and words need memory.
///
/// Thread safety: everything here may be used from any thread.
///
/// It helps against that limit alone. Where the machine itself or a control group has no page left, the kernel ends a process, and no
/// reserve could change that; so the reserve takes no page, only addresses.
package enum MemoryReserve {
  /// Bytes: enough for the words of a long report, and for the stack of the helper that names functions.
  package static let size = 16 << 20

  // 0: none is kept. relaxed: the address alone is passed on, and whoever swaps it out has it for itself.
  private static let kept = Relaxed64(0)
  private static let wasMade = Relaxed64(0)

  /// Keeps the reserve: once for a process, when it gets its first thread. Where there is no room, there is none to keep.
  package static func keep() {
    guard wasMade.load() == 0, wasMade.cas(0, 1).exchanged, let start = Memory.mapNothing(size) else { return }
    kept.store(UInt64(UInt(bitPattern: start)))
  }

  /// Gives the reserve back if the process can get no memory without it: before a search for what hangs, which needs some.
  package static func openIfNeeded() {
    guard kept.load() != 0 else { return }
    let probe = Memory.tryAllocate(1 << 20)
    if probe == nil { open() } else { Memory.free(probe) }
  }

  /// Gives the reserve back to the process: a report begins. No effect from the second time on.
  package static func open() {
    let address = kept.load()
    guard address != 0, kept.cas(address, 0).exchanged, let start = UnsafeRawPointer(bitPattern: UInt(address)) else { return }
    // It was mapped by `keep` and is unmapped once; an error would leave it mapped, and that is all.
    try? Memory.unmap(start, size)
  }
}
