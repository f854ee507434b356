// OtherStacks.swift: stacks of threads of another process that sleep in the kernel, walked from outside: by its memory,
// and copies of the unwind tables in the files that it has mapped. How a stack is walked is CSignalbox/sleeping.c; when
// a reading counts, SleepingStack.swift.
import CSignalbox

/// The unwind tables of a process's files, and its memory. Used by one thread at a time.
package final class OtherStacks {
  /// A program or library: its file as it is reached from here, where its beginning and its end lie over there.
  package struct Image {
    package var path: RawString
    package var base, end: UInt64

    /// An image.
    package init(path: RawString, base: UInt64, end: UInt64) { (self.path, self.base, self.end) = (path, base, end) }
  }

  /// Copies what lies at an address over there; false where not all of it is there.
  package typealias Memory = (_ address: UInt, _ to: UnsafeMutableRawBufferPointer) -> Bool

  private let memory: Memory
  private var images: [sb_other_image] = []
  private var copies: [UnsafeMutableRawBufferPointer] = []

  /// The process with this memory and these files. Reads the files' tables.
  package init(_ files: [Image], memory: @escaping Memory) {
    self.memory = memory
    for file in files {
      var image = sb_other_image()
      (image.start, image.end) = (UInt(file.base), UInt(file.end))
      if let table = UnwindTable(file.path) {
        // SAFETY: freed by deinit alone, as the array's own memory might move.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: table.bytes.count, alignment: 16)
        copy.copyBytes(from: table.bytes)
        copies.append(copy)
        let here = copy.start.assumingMemoryBound(to: UInt8.self)
        (image.copy, image.size, image.header) = (UnsafePointer(here), copy.count, UnsafePointer(here + table.header))
        image.distance = Int(bitPattern: here) &- Int(truncatingIfNeeded: file.base &+ table.start)
      }
      images.append(image)
    }
  }

  deinit { for copy in copies { copy.deallocate() } }

  /// The stack of a thread with these registers, as it is in memory. `frame`: its frame pointer; nil: not known.
  package func walk(_ place: UInt, _ stack: UInt, frame: UInt?) -> StackReading {
    withUnsafePointer(to: memory) { memory in
      images.withUnsafeBufferPointer { images in
        var process = sb_other_process(
          read: { context, from, to, count in
            guard let context else { return 0 }
            // SAFETY: the pointer to `memory`, which outlives the call.
            let memory = context.assumingMemoryBound(to: Memory.self).pointee
            return memory(from, UnsafeMutableRawBufferPointer(start: to, count: count)) ? 1 : 0
          }, context: UnsafeRawPointer(memory), images: images.start, count: Int32(images.count))
        return StackReading { frames, capacity, end in
          guard var frame else { return sb_unwind_other(&process, place, stack, nil, frames, capacity, &end) }
          return sb_unwind_other(&process, place, stack, &frame, frames, capacity, &end)
        }
      }
    }
  }

  /// The stack of thread `id` of a running process if it sleeps; nil: it runs.
  package func reading(_ id: Int32, of process: Int32) -> StackReading? {
    switch SleepingThread(id, of: process).read({ walk($0, $1, frame: nil) }) {
    case .read(let found): found
    case .runs: nil
    }
  }
}

/// The part of a file in which its unwind table lies.
private struct UnwindTable {
  /// How far behind the image's beginning the part is mapped; and how far behind that the table's header lies.
  let start: UInt64, header: Int
  let bytes: [UInt8]

  /// No part is longer.
  private static let most = 1 << 28

  /// nil: the file cannot be read, is no image of this machine's kind, or has no table.
  init?(_ path: RawString) {
    guard let file = try? FileBytes(path), let reader = ELFReader({ file.read(at: $0, count: $1) }), reader.is64,
      reader.isLittle
    else { return nil }
    let segments = reader.segments, loaded = segments.filter { $0.type == ELFReader.loadSegment }
    guard let header = segments.first(where: { $0.type == ELFReader.unwindSegment }),
      let part = loaded.first(where: { header.address >= $0.address && header.address - $0.address < $0.size }),
      let lowest = loaded.map(\.address).min()
    else { return nil }
    let base = lowest & ~ReadNumber(UInt64(Threads.pageSize - 1))
    bytes = file.read(at: part.offset.bits, count: part.size.int(upTo: Self.most))
    (start, self.header) = ((part.address - base).bits, (header.address - part.address).int(upTo: Self.most))
    if self.header + 16 > bytes.count { return nil }
  }
}
