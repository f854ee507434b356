// CoreFile.swift: a core dump: the threads, registers, files and memory of a process that has ended. Files that are ELF programs are read by
// SignalboxLaunch. Nothing in it is believed: what does not fit is left out, and counted.
import SignalboxSystem

/// The parts of a core dump of a 64-bit process of Linux.
struct CoreFile: Sendable {
  struct Segment: Sendable {
    var address: ReadNumber
    /// Bytes of it that the file has, and where; and that it is said to have.
    var size: ReadNumber
    var saidSize: ReadNumber
    var offset: ReadNumber
  }
  /// A thread's registers, in the kernel's order for the machine.
  struct Thread: Sendable {
    var id: Int32
    var registers: [ReadNumber]
  }

  /// What is not in the file, or makes no sense there.
  struct Losses: Sendable, Equatable {
    /// Bytes that the file lacks.
    var bytes: ReadNumber = 0
    /// Segments whose descriptions are not there.
    var segments: ReadNumber = 0
    /// Notes that are not whole, or contradict others.
    var notes: ReadNumber = 0
    /// Mapped files that are not named, or have no place.
    var files: ReadNumber = 0

    /// In words, each with its number.
    var texts: [String] {
      func text(_ number: ReadNumber, _ one: String, _ more: String) -> String? {
        number == 0 ? nil : "\(number) \(number == 1 ? one : more) of the core, which is cut off or damaged"
      }
      return [
        text(bytes, "byte", "bytes"), text(segments, "segment", "segments"), text(notes, "note", "notes"),
        text(files, "name of a mapped file", "names of mapped files"),
      ].compactMap { $0 }
    }
  }

  private(set) var machine: UInt16 = 0
  /// Sorted by address.
  private(set) var segments: [Segment] = []
  /// In the file's order: the one that was hit first.
  private(set) var threads: [Thread] = []
  private(set) var parts: [OtherImages.Part] = []
  private(set) var process: Int32 = 0
  private(set) var name = ""
  /// Where the program begins to run; 0: not told.
  private(set) var entry: ReadNumber = 0
  private(set) var losses = Losses()
  let file: FileBytes

  static let x86: UInt16 = 62, arm: UInt16 = 183
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
  /// No table is read further: more than a million segments no process has.
  private static let mostBytes = 56 << 20
  /// How many bytes of notes may still be read. More than these no kernel writes: some 30,000 threads.
  private var notesLeft = 256 << 20
  /// How many segments of notes may still be read: a kernel writes one.
  private var noteSegmentsLeft = 16
  private var known: Set<Int32> = []

  /// - Throws: why it is no core that can be read.
  init(_ path: String) throws(InspectRefusal) {
    do { file = try FileBytes(RawString(path)) } catch {
      throw InspectRefusal(.noFile, "\(path) cannot be read: \(error)")
    }
    let head = file.read(at: 0, count: 8)
    if let packer = Self.packers.first(where: { head.starts(with: $0.mark) }) {
      throw InspectRefusal(.badFile, "\(path) is packed: unpack it first, with \"\(packer.command)\"")
    }
    let reader = ELFReader(mostBytes: Self.mostBytes) { [file] in file.read(at: $0, count: $1) }
    guard let reader, reader.is64, reader.isLittle, reader.type == ELFReader.coreDump else {
      throw InspectRefusal(.badFile, "\(path) is no core dump of a 64-bit process")
    }
    machine = reader.machine
    guard machine == Self.x86 || machine == Self.arm else {
      throw InspectRefusal(.badFile, "\(path) is a core dump of another kind of processor")
    }
    try read(reader, path)
  }

  private mutating func read(_ reader: ELFReader, _ path: String) throws(InspectRefusal) {
    let found = reader.segments, size = ReadNumber(file.size)
    losses.segments = reader.segmentCount - ReadNumber(count: found.count)
    for segment in found {
      let there = min(segment.size, size - segment.offset)
      losses.bytes += segment.size - there
      switch segment.type {
      case ELFReader.loadSegment where segment.size > 0:
        segments.append(Segment(address: segment.address, size: there, saidSize: segment.size, offset: segment.offset))
      case ELFReader.noteSegment: readNotes(at: segment.offset, there)
      default: break
      }
    }
    segments.sort { $0.address < $1.address }
    guard !threads.isEmpty else {
      throw InspectRefusal(.badFile, "\(path) names no threads: it is cut off, or no core dump of Linux")
    }
    if process <= 0 { process = threads[0].id }
  }

  // MARK: notes

  private mutating func readNotes(at offset: ReadNumber, _ length: ReadNumber) {
    guard noteSegmentsLeft > 0 else { return losses.segments += 1 }
    noteSegmentsLeft -= 1
    let all = file.read(at: offset.bits, count: length.int(upTo: notesLeft))
    notesLeft -= all.count
    var notes = ELFNotes(all)
    while let note = notes.next() {
      if !readNote(note.type, Array(note.contents)) { losses.notes += 1 }
    }
    if notes.isBroken { losses.notes += 1 }
  }

  // The kernel's numbers (linux/elf.h), and its structures on 64-bit machines.
  /// False: the note is too short, or contradicts another.
  private mutating func readNote(_ type: ReadNumber, _ note: [UInt8]) -> Bool {
    switch type {
    case 1: return readStatus(note)  // NT_PRSTATUS
    case 3:  // NT_PRPSINFO
      guard note.count >= 136 else { return false }
      process = note.word32(at: 24).lowest(Int32.self)
      name = String(decoding: note[40..<56].prefix { $0 != 0 }, as: UTF8.self)
    case 6:  // NT_AUXV: pairs of a kind and a value; 9 is AT_ENTRY
      for place in stride(from: 0, to: note.count - 15, by: 16) where note.word64(at: place) == 9 {
        entry = note.word64(at: place + 8)
      }
    case 0x4649_4C45: return readFiles(note)  // NT_FILE
    default: break
    }
    return true
  }

  /// The thread's number stands at 32, its registers at 112.
  private mutating func readStatus(_ note: [UInt8]) -> Bool {
    let count = machine == Self.x86 ? 27 : 34, id = note.word32(at: 32).lowest(Int32.self)
    guard note.count >= 112 + count * 8, id > 0, known.insert(id).inserted else { return false }
    threads.append(Thread(id: id, registers: (0..<count).map { note.word64(at: 112 + $0 * 8) }))
    return true
  }

  /// How many there are, the size of a page; of each its beginning, its end, its place in the file in pages; then the names.
  private mutating func readFiles(_ note: [UInt8]) -> Bool {
    guard note.count >= 16 else { return false }
    let said = note.word64(at: 0), page = note.word64(at: 8), count = said.int(upTo: (note.count - 16) / 24)
    losses.files += said - ReadNumber(count: count)
    let names = note[(16 + count * 24)...].split(separator: 0, maxSplits: count, omittingEmptySubsequences: false)
    for index in 0..<count {
      let start = note.word64(at: 16 + index * 24), end = note.word64(at: 24 + index * 24)
      let offset = note.word64(at: 32 + index * 24) * page
      // The last piece is what follows the names.
      guard index < names.count - 1, start < end, offset < .max else {
        losses.files += 1
        continue
      }
      parts.append(
        OtherImages.Part(range: start..<end, offset: offset, path: String(decoding: names[index], as: UTF8.self)))
    }
    return true
  }

  // MARK: memory

  /// What the core itself has there; nil where that is not all.
  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    var found: [UInt8] = []
    // What lies in a row may be in several segments.
    while found.count < count {
      let here = address + ReadNumber(count: found.count)
      guard let segment = segment(at: here) else { return nil }
      let distance = here - segment.address, wanted = (segment.size - distance).int(upTo: count - found.count)
      guard wanted > 0 else { return nil }
      let piece = file.read(at: (segment.offset + distance).bits, count: wanted)
      guard piece.count == wanted else { return nil }
      found += piece
    }
    return found
  }

  private func segment(at address: ReadNumber) -> Segment? {
    var low = 0, high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let segment = segments[low - 1]
    return address - segment.address < segment.saidSize ? segment : nil
  }

  /// Where what it has lay, in the order of the addresses.
  var ranges: [Range<ReadNumber>] { segments.map { $0.address..<$0.address + $0.size } }

  /// Whether the core is said to have the byte at the address: then what was there stands in no other file.
  func has(_ address: ReadNumber) -> Bool { segment(at: address) != nil }

  // MARK: registers

  /// Whether the process ran on a machine like the one that reads.
  var isOfOwnMachine: Bool { machine == Self.ownMachine }

  /// Where the thread was, its stack, its frame; and the system call with its arguments.
  func state(of thread: Thread) -> (place: ReadNumber, stack: ReadNumber, frame: ReadNumber, call: KernelCall?) {
    let all = thread.registers
    guard machine == Self.x86 else { return (all[32], all[31], all[29], nil) }
    let arguments = [14, 13, 12, 7, 9, 8].map { UInt(all[$0].bits) }
    // What a number means is known for the machine that reads.
    guard machine == Self.ownMachine, all[15] < 1024, let number = all[15].exactly(Int.self) else {
      return (all[16], all[19], all[4], nil)
    }
    return (all[16], all[19], all[4], KernelCall(number, arguments, stackPointer: UInt(all[19].bits)))
  }
}
