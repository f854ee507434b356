// ToolchainPlaces.swift: the queues that threads are in, as the toolchain's libdispatch notes for each thread: so the
// threads are known that run the items of a concurrent or a global queue, which has no owner.
import SignalboxSystem
import SignalboxView

/// Reads where threads are.
struct ToolchainPlaces {
  private let memory: any ProcessMemory
  private let threads: CLibraryThreads
  /// Which part of a thread's memory is the library's, and where in it its words begin.
  private let part: UInt64, words: UInt64
  /// Longer lists are not followed.
  private static let mostFrames = 64

  /// nil: the C library does not tell where a thread's memory lies, or the library was stripped.
  init?(_ library: ToolchainLibrary, _ threads: CLibraryThreads, _ memory: any ProcessMemory) {
    guard let words = library.threadWords, let part = threads.part(of: library.image) else { return nil }
    (self.memory, self.threads, self.part, self.words) = (memory, threads, part, words)
  }

  /// The addresses of the queues that the thread is in, the innermost first, and 0 where it was in none before; nil:
  /// not known, since two readings in a row differ. A queue is in the list once more for each `sync`, and for each
  /// queue through which its items came.
  func queues(of thread: Int32) -> [UInt64]? {
    // A thread that never used the library may have no such words.
    guard let place = threads.place(ofPart: part, of: thread) else { return threads.records[thread].map { _ in [] } }
    for _ in 0..<4 {
      guard let first = Self.reading(at: place &+ words, of: thread, memory) else { return nil }
      if Self.reading(at: place &+ words, of: thread, memory) == first { return first }
    }
    return nil
  }

  /// One reading of the words at `start`; nil: they make no sense.
  static func reading(at start: UInt64, of thread: Int32, _ memory: any ProcessMemory) -> [UInt64]? {
    func word(_ address: UInt64) -> UInt64? { memory.word64(ReadNumber(address))?.bits }
    guard let number = memory.word32(ReadNumber(start &+ ToolchainLayout.Specific.thread))?.lowest(Int32.self) else {
      return nil
    }
    // Its first words are written when it first uses the library.
    if number == 0 { return [] }
    guard number == thread, let queue = word(start &+ ToolchainLayout.Specific.queue),
      var frame = word(start &+ ToolchainLayout.Specific.frame)
    else { return nil }
    var found = queue == 0 && frame == 0 ? [] : [queue]
    while frame != 0 {
      guard found.count < mostFrames, let queue = word(frame &+ ToolchainLayout.Frame.queue),
        let outer = word(frame &+ ToolchainLayout.Frame.outer), outer == 0 || outer > frame
      else { return nil }
      found.append(queue)
      frame = outer
    }
    return found
  }
}
