// MadeProcess.swift: a small process that never ran: its memory, word by word, and its core dump. Damaged ones are made
// from it; core dumps of real processes are WrittenCore.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxInspector

/// The same numbers in each run (xorshift).
struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

extension Array<UInt8> {
  /// Writes a number of `width` bytes.
  mutating func set(_ value: UInt64, at place: Int, width: Int = 8) {
    for index in 0..<width { self[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }
  }
}

/// Memory of some bytes from an address on.
struct MadeMemory: ProcessMemory {
  var bytes: [UInt8]
  static let base: UInt64 = 0x10_0000

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    let start = (address - ReadNumber(Self.base)).int(upTo: bytes.count)
    guard address >= ReadNumber(Self.base), count >= 0, count <= bytes.count - start else { return nil }
    return Array(bytes[start..<start + count])
  }

  mutating func set(_ value: UInt64, at address: UInt64) { bytes.set(value, at: Int(address - Self.base)) }
}

/// A process that is read, whatever its memory says: three threads, of which two wait for one another.
struct MadeProcess: ReadProcess {
  var memory: any ProcessMemory
  var source = "core"
  let id: Int32 = 11
  let name = "made"
  var images: ReadImages { ReadImages([Self.part]) }
  var now: UInt64? { 90_000_000_000 }
  var times: ReadTimes? { source == "core" ? nil : ReadTimes(uptime: 90_000_000_000, continuous: 0, wall: .max) }
  var unread: [String] { [] }
  func call(of thread: ReadThread) -> KernelCall? {
    thread.id == 13 ? KernelCall(202, [UInt(Place.mutex), 128, 2, 0, 0, 0], stackPointer: 0) : nil
  }
  func switches(of thread: ReadThread) -> UInt64? { 5 }
  func threads() -> [ReadThread] {
    Self.threads.map { ReadThread(id: $0, outerID: $0, name: "t\($0)", state: nil) }
  }

  static let threads: [Int32] = [11, 12, 13]
  static let path = "/made/program"
  static var part: OtherImages.Part {
    let start = ReadNumber(MadeMemory.base)
    return OtherImages.Part(range: start..<start + ReadNumber(count: memory.bytes.count), offset: 0, path: path)
  }

  /// Where what lies.
  enum Place {
    static let base = MadeMemory.base, note = base + 0x100, table = base + 0x400, slots = base + 0x800, highest = base + 0x900
    static let record = base + 0x980, frames = base + 0xA00, lock = base + 0xB00, mutex = base + 0xB40, segments = base + 0xC00
    static let used = base + 0xC80, places = base + 0xD00, waits = base + 0x1000, queues = base + 0x2000, pages = base + 0x2400
    static let nodes = base + 0x2700, events = base + 0x8000, end = base + 0xC000
    /// Four queues, each with its own slots from 96 on.
    static func queue(_ number: UInt64) -> UInt64 { queues + number * 0x100 }
  }
  static let owners: [UInt64] = [0, 0x1_0001, 0x2_0002, 0x3_0003]

  static let memory: MadeMemory = {
    var memory = MadeMemory(bytes: [UInt8](repeating: 0, count: Int(Place.end - Place.base)))
    addHead(&memory)
    addTable(&memory)
    addThreads(&memory)
    addQueues(&memory)
    addPool(&memory)
    addFigures(&memory)
    addEvents(&memory)
    return memory
  }()

  /// An ELF file's head, and the note that leads to the table.
  private static func addHead(_ memory: inout MadeMemory) {
    memory.bytes.replaceSubrange(0..<7, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
    for (place, value) in [(16, 3), (18, MadeCore.machine), (54, 56), (56, 2)] { memory.bytes.set(value, at: place, width: 2) }
    memory.bytes.set(64, at: 32)
    // What is loaded, and notes: type, place in the file, address, both sizes.
    for (number, words) in [[1, 0, 0, Place.end - Place.base], [4, 0x100, 0x100, 64]].enumerated() {
      for (word, value) in zip([0, 8, 16, 32, 40], words + [words[3]]) {
        memory.bytes.set(value, at: 64 + number * 56 + word)
      }
    }
    let note = ProcessDescription.note, contents = Place.note + UInt64(note.count)
    memory.bytes.replaceSubrange(0x100..<0x100 + note.count, with: note)
    memory.set(Place.table &- contents, at: contents)
  }

  private static func addTable(_ memory: inout MadeMemory) {
    let words: [DescribedWord: UInt64] = [
      .mark: ProcessDescription.mark, .version: ProcessDescription.version, .slots: Place.slots, .slotSize: 16, .slotCount: 16,
      .highestSlot: Place.highest, .frames: 0, .shared: 8, .waits: Place.waits, .waitSize: 256, .waitWords: 9,
      .waitWordCount: 4, .waitFrames: 13, .waitFrameCount: 4, .waitShared: 17, .waitSharedCount: 2, .waitStack: 19,
      .waitStackCount: 4, .mainThread: Place.base + 0xA80, .ownThreads: Place.base + 0xAC0, .queueState: 16, .queueTarget: 24,
      .queueKind: 32, .queueLabel: 40, .mainQueue: Place.queue(2), .stateOwner: 0xFF_FFFF, .stateWidth: 0xFF << 24,
      .stateEnqueued: 1 << 32, .stateBarrier: 1 << 33, .stateInactive: 1 << 34, .stateSuspended: 0xFF << 40, .itemPlace: 16,
      .itemClosure: 24, .operationState: 8, .operationRunner: 16, .forkedChild: Place.base + 0xAF0, .firstPlace: 8,
      .placesUsed: Place.used, .placeSegments: Place.segments, .queueSize: 168, .queueLimit: 56, .queueClass: 60,
      .listTail: 64, .listLink: 72, .listHead: 80, .listTaken: 88, .itemsInside: 4, .itemsOnPage: 8,
      .classBytes: 0x0504_0302_0100, .wordCount: UInt64(ProcessDescription.count), .pageSlots: 16, .nodeAudience: 16,
      .nodeClass: 26, .itemClass: 24, .sourceType: Place.nodes + 0xC0, .superclass: 8,
    ]
    let others = poolWords.merging(Figures.words) { $1 }.merging(eventWords) { $1 }
    for (word, value) in words.merging(others, uniquingKeysWith: { $1 }) {
      memory.set(value, at: Place.table + UInt64(word.rawValue * 8))
    }
  }

  /// The first waits for a lock that the second has, the second for a queue that the first has; the third is in a
  /// queue.
  private static func addThreads(_ memory: inout MadeMemory) {
    memory.set(3, at: Place.highest)
    memory.set(owners[1], at: Place.base + 0xA80)
    memory.set(owners[2], at: Place.lock)
    let words = [0, 1 << 56 | Place.lock, 5 << 56 | Place.queues]
    for number in 1...3 {
      let thread = UInt64(threads[number - 1]), wait = Place.waits + UInt64(number) * 256
      memory.set(thread << 32 | owners[number], at: Place.slots + UInt64(number) * 16)
      memory.set(Place.record + UInt64(number) * 32, at: Place.slots + UInt64(number) * 16 + 8)
      guard number < 3 else { continue }
      let cells: [UInt64] = [
        2, owners[number], thread, number == 1 ? 3 : 15, number == 1 ? Place.lock : Place.queues, 5_000_000_000, 0, 0,
        1 | 1 << 8 | 1 << 24,
      ]
      for (cell, value) in cells.enumerated() { memory.set(value, at: wait + UInt64(cell * 8)) }
      memory.set(words[number], at: wait + 9 * 8)
      memory.set(Place.queue(UInt64(number) - 1) | 2, at: wait + 13 * 8)
      memory.set(0x10_0220, at: wait + 19 * 8)
    }
    // A drain's frame, then the words of its item; a frame of a sync.
    memory.set(Place.frames, at: Place.record + 3 * 32)
    for (word, value) in [Place.queue(1) | 2, Place.frames + 0x40, Place.base + 0x240, 0].enumerated() {
      memory.set(value, at: Place.frames + UInt64(word * 8))
    }
    memory.set(Place.queues | 1, at: Place.frames + 0x40)
    memory.set(12 << 32 | 1 << 32, at: Place.mutex + 8)
  }

  /// A queue with items in itself, one with items on two pages, the main queue, a global one.
  private static func addQueues(_ memory: inout MadeMemory) {
    memory.set(12, at: Place.used)
    memory.set(Place.places - 64, at: Place.segments)
    for number in UInt64(0)..<4 {
      let queue = Place.queue(number), kinds: [UInt64] = [0, 1, 3, 2]
      memory.set(queue, at: Place.places + number * 8)
      let label = StringForm.words("made.\(number)")
      let state = number == 0 ? owners[1] : 2 << 24 | 3 << 40
      for (place, value) in [
        (16, state), (24, number >= 2 ? 0 : Place.queue(2)), (32, kinds[Int(number)]), (40, label.first),
        (48, label.second), (56, 4 | 3 << 32), (64, 3), (80, 1), (88, 2 << 1),
      ] { memory.set(value, at: queue + UInt64(place)) }
    }
    addItems(&memory)
    let second = Place.queue(1), page = Place.pages
    memory.set((page + 0x100) << 16 | 5, at: second + 64)
    memory.set(page, at: second + 72)
    memory.set(2, at: second + 80)
    memory.set(page + 0x100, at: page)
  }

  /// In the first queue a background closure and a more urgent work item; in the second closures and C functions.
  private static func addItems(_ memory: inout MadeMemory) {
    let function = Place.base + 0x240, node = Place.nodes
    func set(_ words: [UInt64], at place: UInt64) {
      for (number, word) in words.enumerated() { memory.set(word, at: place + UInt64(number) * 8) }
    }
    set([SlotKind.node, node], at: Place.queue(0) + 96 + 16)
    set([SlotKind.node, node + 32], at: Place.queue(0) + 96 + 32)
    set([function, 0, 0, 0x09 << 16], at: node)
    set([SlotKind.workItem, node + 64, Place.queue(2), 0], at: node + 32)
    // Its class, behind its closure.
    set([0, 0, 0, 4], at: node + 64)
    for number in UInt64(2)..<4 { set([function, 0], at: Place.queue(1) + 96 + number * 16) }
    for number in UInt64(0)..<8 { set([SlotKind.cFunction | function, 0], at: Place.pages + 16 + number * 16) }
    for number in UInt64(0)..<5 { set([SlotKind.queue, Place.queue(0)], at: Place.pages + 0x110 + number * 16) }
  }
}

/// Everything that is shown of a process.
enum Shown {
  /// Reads it and shows it in each form; the text, or why there is none.
  static func everything(_ process: any ReadProcess) -> (text: String, inspections: [Inspection]) {
    do throws(InspectRefusal) {
      let inspections = try RemoteInspection.all(in: process, "the made process").map { Inspection($0) }
      return (everything(inspections), inspections)
    } catch { return (error.message, []) }
  }

  static func everything(_ inspections: [Inspection]) -> String {
    guard !inspections.isEmpty else { return "" }
    var options = InspectOptions()
    (options.wantsAll, options.wantsStacks) = (true, true)
    let text = InspectionTables(inspections, process: "11 (made)", options, PlaceNames(wantsLines: false)).text
    let top = TopTable(inspections, after: inspections, seconds: 0.1, title: "11 (made)", width: 100).lines
    let svg = WaitPicture(inspections, process: "11 (made)").svg, json = inspections.map(\.json.text).joined()
    #expect(!top.isEmpty && svg.hasSuffix("</svg>\n") && !json.isEmpty && !text.isEmpty)
    return text
  }
}

/// The core dump of the made process.
enum MadeCore {
  #if arch(x86_64)
  static let machine: UInt64 = 62
  private static let registers = 27, frame = 4, stack = 19, place = 16
  #else
  static let machine: UInt64 = 183
  private static let registers = 34, frame = 29, stack = 31, place = 32
  #endif
  /// Where the notes and the memory begin, and where the notes end.
  static let notesStart = 64 + 2 * 56, notesEnd = notesStart + notes.count, memoryStart = notesEnd

  static let bytes: [UInt8] = {
    var head = [UInt8](repeating: 0, count: notesStart)
    head.replaceSubrange(0..<7, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
    for (place, value) in [(16, 4), (18, machine), (54, 56), (56, 2)] { head.set(value, at: place, width: 2) }
    head.set(64, at: 32)
    let memory = MadeProcess.memory.bytes
    let segments: [[UInt64]] = [
      [4, UInt64(notesStart), 0, UInt64(notes.count)], [1, UInt64(memoryStart), MadeMemory.base, UInt64(memory.count)],
    ]
    for (number, words) in segments.enumerated() {
      for (word, value) in zip([0, 8, 16, 32, 40], words + [words[3]]) { head.set(value, at: 64 + number * 56 + word) }
    }
    return head + notes + memory
  }()

  private static let notes: [UInt8] = {
    var all: [UInt8] = []
    for thread in MadeProcess.threads {
      var status = [UInt8](repeating: 0, count: 112 + registers * 8 + 8)
      status.set(UInt64(thread), at: 32, width: 4)
      for (register, value) in [(place, 0x200), (stack, 0x2600), (frame, 0x2600)] {
        status.set(MadeMemory.base + UInt64(value), at: 112 + register * 8)
      }
      all += note(1, status)
    }
    var information = [UInt8](repeating: 0, count: 136)
    information.set(11, at: 24, width: 4)
    information.replaceSubrange(40..<44, with: Array("made".utf8))
    var auxiliary = [UInt8](repeating: 0, count: 16)
    for (place, value) in [(0, 9), (8, MadeMemory.base + 0x200)] { auxiliary.set(value, at: place) }
    var files = [UInt8](repeating: 0, count: 40)
    for (place, value) in [(0, 1), (8, 4096), (16, MadeMemory.base), (24, MadeProcess.Place.end)] {
      files.set(value, at: place)
    }
    return all + note(3, information) + note(6, auxiliary) + note(0x4649_4C45, files + Array(MadeProcess.path.utf8) + [0])
  }()

  private static func note(_ type: UInt64, _ contents: [UInt8]) -> [UInt8] {
    var head = [UInt8](repeating: 0, count: 12)
    for (place, value) in [(0, 5), (4, UInt64(contents.count)), (8, type)] { head.set(value, at: place, width: 4) }
    return head + Array("CORE\0\0\0\0".utf8) + contents + [UInt8](repeating: 0, count: (4 - contents.count % 4) % 4)
  }
}
