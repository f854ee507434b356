// MemoryReserve.swift: address space that is kept for a report, so that one comes out of a program that has used up all it may have; and
// whether there is memory to work with at all.
//
//   kept: 0 none is kept   else its address and its MiB. Whoever swaps the word out has it, and unmaps it
import Glibc

/// Address space for one report. A program at its limit (RLIMIT_AS) can allocate nothing, and words need memory: Swift's own allocation
/// ends the process when it fails. So whoever is about to allocate on Signalbox's behalf asks first.
///
/// Thread safety: everything here may be used from any thread.
///
/// It helps against that limit alone. Where the machine itself or a control group has no page left, the kernel ends a process, and no
/// reserve could change that; so the reserve takes no page, only addresses. Another thread of the program may take what was given back
/// before the report does: then that ends as if nothing had been kept.
package enum MemoryReserve {
  /// How much memory there is for a report.
  package enum Room: Sendable {
    /// For all of it.
    case plenty
    /// For its words, but not for the names of functions: their tables are large.
    case scarce
    /// For a fixed text.
    case none
  }

  /// MiB that are kept: as many as there is room for.
  private static let sizes = (least: UInt64(9), most: UInt64(16))
  /// Bytes that the words of a report take at most, or a scan.
  private static let enoughForWords = 8 << 20
  /// Bytes that the names of functions take besides: a thread's stack, the tables of images.
  private static let enoughForNames = 64 << 20

  // 0: none is kept. relaxed: the word alone is passed on, and whoever swaps it out has it for itself.
  private static let kept = Relaxed64(0)
  private static let scarceWord = Relaxed64(0)
  /// How many borrow the reserve. relaxed: a hint, as the reserve itself.
  private static let lent = Relaxed64(0)

  /// Keeps the reserve, when the process gets its first thread. Where there is no room, there is none to keep.
  package static func keep() {
    guard kept.load() == 0 else { return }
    var size = sizes.most
    while size >= sizes.least {
      if let start = Memory.mapNothing(Int(size) << 20) {
        // A page's address has its lowest bits free.
        if kept.cas(0, UInt64(UInt(bitPattern: start)) | size).exchanged { return }
        return remove(start, size)
      }
      size -= 1
    }
  }

  // An error would leave it mapped, and that is all.
  private static func remove(_ start: UnsafeRawPointer, _ size: UInt64) { try? Memory.unmap(start, Int(size) << 20) }

  /// Gives the reserve back to the process. Whether there was one.
  private static func giveBack() -> Bool {
    let word = kept.load()
    guard word != 0, kept.cas(word, 0).exchanged else { return false }
    guard let start = UnsafeRawPointer(bitPattern: UInt(word & ~0xFFF)) else { return false }
    remove(start, word & 0xFFF)
    return true
  }

  /// A report begins: how much memory it may use. Where there is little, the reserve is given back, for good.
  package static func open() -> Room {
    let hasPlenty = has(enoughForNames)
    scarceWord.store(hasPlenty ? 0 : 1)
    if hasPlenty { return .plenty }
    _ = giveBack()
    return has(enoughForWords) ? .scarce : .none
  }

  /// Fails where the kernel has not even the little that the objects of a new thread take: Swift's allocation would end the process. What
  /// is borrowed is for no thread.
  package static func requireAny() throws(SystemError) {
    if lent.load() != 0 || !has(1 << 16) { throw SystemError(call: "mmap", code: ENOMEM) }
  }

  /// Whether the last report has to make do without the names of functions.
  package static var isScarce: Bool { scarceWord.load() == 1 }

  /// Runs `body`, which allocates; with the reserve given back meanwhile where there is little memory. nil where there is none.
  @discardableResult
  package static func lend<R>(_ body: () -> R) -> R? {
    if has(enoughForWords) { return body() }
    guard giveBack() else { return nil }
    lent.add(1)
    defer {
      lent.add(~0)
      // A report that has begun meanwhile needs it: asked before and after, since it may begin in between.
      if !isScarce { keep() }
      if isScarce { _ = giveBack() }
    }
    return has(enoughForWords) ? body() : nil
  }

  /// Asks the kernel, not the heap: the sizes of what the heap has given out decide where it takes memory from later.
  private static func has(_ count: Int) -> Bool {
    guard let start = Memory.mapZeros(count) else { return false }
    try? Memory.unmap(start, count)
    return true
  }
}

extension StandardError {
  /// Writes a text as it stands in the program. Allocates nothing.
  package static func write(fixed text: StaticString) {
    text.withUTF8Buffer { _ = WholeWrite.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}
