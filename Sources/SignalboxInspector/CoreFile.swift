// CoreFile.swift: a core dump: the threads, registers, files and memory of a process that has ended. Files that are ELF programs are read by
// SignalboxLaunch. Nothing in it is believed: sizes are bounded, and what lies behind the file's end is not there.
import SignalboxSystem

/// The parts of a core dump of a 64-bit process of Linux.
struct CoreFile: Sendable {
  struct Segment: Sendable {
    var address: UInt64
    /// Bytes of it that the file has, and where; and that it is said to have.
    var size: UInt64
    var saidSize: UInt64
    var offset: UInt64
  }
  /// A thread's registers, in the kernel's order for the machine.
  struct Thread: Sendable {
    var id: Int32
    var registers: [UInt64]
  }

  private(set) var machine = 0
  /// Sorted by address.
  private(set) var segments: [Segment] = []
  /// In the file's order: the one that was hit first.
  private(set) var threads: [Thread] = []
  private(set) var parts: [OtherImages.Part] = []
  private(set) var process: Int32 = 0
  private(set) var name = ""
  /// Where the program begins to run; 0: not told.
  private(set) var entry: UInt64 = 0
  /// How many bytes the file lacks.
  private(set) var missing: UInt64 = 0
  let file: FileBytes

  static let x86 = 62, arm = 183
  #if arch(x86_64)
  private static let ownMachine = x86
  #else
  private static let ownMachine = arm
  #endif
  /// How files begin that are packed, as systems keep core dumps.
  private static let packers: [(mark: [UInt8], command: String)] = [
    ([0x28, 0xb5, 0x2f, 0xfd], "zstd -d"), ([0x04, 0x22, 0x4d, 0x18], "lz4 -d"), ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz -d"),
    ([0x1f, 0x8b], "gzip -d"),
  ]
  private static let loadSegment = 1, noteSegment = 4
  /// More notes than this no kernel writes: some 30,000 threads.
  private static let mostNotes: UInt64 = 256 << 20

  /// - Throws: why it is no core that can be read.
  init(_ path: String) throws(InspectRefusal) {
    do { file = try FileBytes(RawString(path)) } catch {
      throw InspectRefusal(.noFile, "\(path) cannot be read: \(error)")
    }
    let head = file.read(at: 0, count: 64)
    if let packer = Self.packers.first(where: { head.starts(with: $0.mark) }) {
      throw InspectRefusal(.badFile, "\(path) is packed: unpack it first, with \"\(packer.command)\"")
    }
    guard head.count == 64, head.starts(with: [0x7f, 0x45, 0x4c, 0x46]), head[4] == 2, head[5] == 1, head.word16(at: 16) == 4
    else {
      throw InspectRefusal(.badFile, "\(path) is no core dump of a 64-bit process")
    }
    machine = head.word16(at: 18)
    guard machine == Self.x86 || machine == Self.arm else {
      throw InspectRefusal(.badFile, "\(path) is a core dump of another kind of processor")
    }
    try read(head, path)
  }

  private mutating func read(_ head: [UInt8], _ path: String) throws(InspectRefusal) {
    var count = UInt64(head.word16(at: 56))
    // More segments than the field holds: the number stands in the first section's header.
    if count == 0xFFFF { count = UInt64(file.read(at: head.word64(at: 40), count: 64).word32(at: 44)) }
    let table = file.read(at: head.word64(at: 32), count: Int(min(count, 1 << 20)) * 56)
    let size = file.size
    for start in stride(from: 0, to: table.count - 55, by: 56) {
      let type = Int(table.word32(at: start)), offset = table.word64(at: start + 8), length = table.word64(at: start + 32)
      let end = offset.addingReportingOverflow(length)
      if end.overflow || end.partialValue > size {
        let sum = missing.addingReportingOverflow(length - min(length, size - min(offset, size)))
        missing = sum.overflow ? .max : sum.partialValue  // a core that is damaged may say anything
      }
      switch type {
      case Self.loadSegment where length > 0:
        let there = min(length, size - min(offset, size))
        segments.append(Segment(address: table.word64(at: start + 16), size: there, saidSize: length, offset: offset))
      case Self.noteSegment: readNotes(file.read(at: offset, count: Int(min(length, Self.mostNotes))))
      default: break
      }
    }
    segments.sort { $0.address < $1.address }
    guard !threads.isEmpty else {
      throw InspectRefusal(.badFile, "\(path) names no threads: it is cut off, or no core dump of Linux")
    }
    if process == 0 { process = threads[0].id }
  }

  // MARK: notes

  private mutating func readNotes(_ all: [UInt8]) {
    var place = 0
    while place + 12 <= all.count {
      let nameSize = Int(all.word32(at: place)), size = Int(all.word32(at: place + 4)), type = all.word32(at: place + 8)
      let contents = place + 12 + (nameSize + 3) / 4 * 4
      guard contents + size <= all.count else { return }
      readNote(type, Array(all[contents..<contents + size]))
      place = contents + (size + 3) / 4 * 4
    }
  }

  // The kernel's numbers (linux/elf.h), and its structures on 64-bit machines.
  private mutating func readNote(_ type: UInt32, _ note: [UInt8]) {
    switch type {
    case 1:  // NT_PRSTATUS: the thread's number stands at 32, its registers at 112
      let count = machine == Self.x86 ? 27 : 34
      guard note.count >= 112 + count * 8 else { return }
      let registers = (0..<count).map { note.word64(at: 112 + $0 * 8) }
      threads.append(Thread(id: Int32(bitPattern: note.word32(at: 32)), registers: registers))
    case 3 where note.count >= 136:  // NT_PRPSINFO
      process = Int32(bitPattern: note.word32(at: 24))
      name = String(decoding: note[40..<56].prefix { $0 != 0 }, as: UTF8.self)
    case 6:  // NT_AUXV: pairs of a kind and a value; 9 is AT_ENTRY
      for place in stride(from: 0, to: note.count - 15, by: 16) where note.word64(at: place) == 9 {
        entry = note.word64(at: place + 8)
      }
    case 0x4649_4C45: readFiles(note)  // NT_FILE
    default: break
    }
  }

  /// How many there are, the size of a page; of each its beginning, its end, its place in the file in pages; then the names.
  private mutating func readFiles(_ note: [UInt8]) {
    let count = Int(min(note.word64(at: 0), UInt64(note.count / 24))), page = note.word64(at: 8)
    guard note.count >= 16 + count * 24 else { return }
    let names = note[(16 + count * 24)...].split(separator: 0, omittingEmptySubsequences: false)
    for (index, name) in names.prefix(count).enumerated() {
      let start = note.word64(at: 16 + index * 24), end = note.word64(at: 24 + index * 24)
      let offset = note.word64(at: 32 + index * 24).multipliedReportingOverflow(by: page)
      guard start < end, !offset.overflow else { continue }
      parts.append(
        OtherImages.Part(
          range: UInt(start)..<UInt(end), offset: UInt(offset.partialValue), path: String(decoding: name, as: UTF8.self)))
    }
  }

  // MARK: memory

  /// What the core itself has there; nil where that is not all.
  func bytes(_ address: UInt64, _ count: Int) -> [UInt8]? {
    var found: [UInt8] = []
    // What lies in a row may be in several segments.
    while found.count < count {
      let here = address &+ UInt64(found.count)
      guard let segment = segment(at: here), here - segment.address < segment.size else { return nil }
      let distance = here - segment.address, wanted = min(UInt64(count - found.count), segment.size - distance)
      let piece = file.read(at: segment.offset + distance, count: Int(wanted))
      guard piece.count == Int(wanted) else { return nil }
      found += piece
    }
    return found
  }

  private func segment(at address: UInt64) -> Segment? {
    var low = 0, high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let segment = segments[low - 1]
    return address - segment.address < segment.saidSize ? segment : nil
  }

  /// Whether the core is said to have the byte at the address: then what was there stands in no other file.
  func has(_ address: UInt64) -> Bool { segment(at: address) != nil }

  // MARK: registers

  /// Where the thread was, its stack, its frame; and the system call with its arguments.
  func state(of thread: Thread) -> (place: UInt64, stack: UInt64, frame: UInt64, call: KernelCall?) {
    let all = thread.registers
    guard machine == Self.x86 else { return (all[32], all[31], all[29], nil) }
    let number = Int64(bitPattern: all[15])
    let arguments = [14, 13, 12, 7, 9, 8].map { UInt(all[$0]) }
    // What a number means is known for the machine that reads.
    let isKnown = machine == Self.ownMachine && (0..<1024).contains(number)
    let call = isKnown ? KernelCall(Int(number), arguments, stackPointer: UInt(all[19])) : nil
    return (all[16], all[19], all[4], call)
  }
}
