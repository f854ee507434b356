// WholeCore.swift: a core dump of a small process with three threads, two of which wait for each other, and the program
// that it ran. The table of the process says where everything lies (ProcessDescription.swift), so that a reader follows
// what is chosen here.
import SignalboxSystem
import SignalboxWords

enum WholeCore {
  private static let base: UInt64 = 0x40_0000, data: UInt64 = 0x10_0000_0000, dataSize = 0x4000
  private static let slots = 0x200, highest = 0x280, mainOwner = 0x2B0, records = 0x300, waits = 0x800, waitSize = 0x100
  private static let one = 0x1400, other = 0x1600, root = 0x1800, register = 0x1A00, places = 0x1B00, foreign = 0x1C00
  private static let lock = 0x1C40, frame = 0x1C80, page = 0x2000, stack = 0x3000, node = 0x2800, item = 0x2900
  private static let note = 0x700, tablePlace = 0x3800

  /// The program: its first page lies in the core as well.
  static let program: [UInt8] = {
    var file = WholeImage.bytes
    file.put(5, 2, at: 56)
    let entry = 64 + 4 * 56
    file.put(4, 4, at: entry)
    for (place, value) in [(8, note), (16, note), (32, 32), (40, 32)] { file.put(UInt64(value), at: entry + place) }
    file.put(ProcessDescription.note, at: note)
    let contents = note + ProcessDescription.note.count
    file.put(at(tablePlace) &- (base + UInt64(contents)), at: contents)
    file.put(0, 1, at: 0x1FFF)
    return file
  }()

  private static func owner(_ slot: Int) -> UInt64 { UInt64(slot) | 1 << 16 }

  private static let table: [(DescribedWord, UInt64)] = [
    (.mark, ProcessDescription.mark), (.version, ProcessDescription.version), (.slots, at(slots)), (.slotSize, 16),
    (.slotCount, 8), (.highestSlot, at(highest)), (.frames, 0), (.shared, 8), (.waits, at(waits)),
    (.waitSize, UInt64(waitSize)), (.waitWords, 9), (.waitWordCount, 4), (.waitFrames, 13), (.waitFrameCount, 4),
    (.waitShared, 17), (.waitSharedCount, 4), (.waitStack, 21), (.waitStackCount, 8), (.mainThread, at(mainOwner)),
    (.ownThreads, at(0x290)), (.queueState, 16), (.queueTarget, 24), (.queueKind, 32), (.queueLabel, 48),
    (.mainQueue, at(root)),
    (.stateOwner, 0xFF_FFFF), (.stateWidth, 0xFFF << 24), (.stateEnqueued, 1 << 36), (.stateBarrier, 1 << 37),
    (.stateInactive, 1 << 38), (.stateSuspended, 0xFF << 40), (.itemPlace, 16), (.itemClosure, 24),
    (.blockCaller, base + 0x1050),
    (.jobIsolated, base + 0x1060), (.operationState, 16), (.operationRunner, 24), (.forkedChild, at(0x288)), (.firstPlace, 4),
    (.placesUsed, at(register)), (.placeSegments, at(register + 8)), (.queueSize, 128), (.queueLimit, 36), (.queueClass, 40),
    (.listTail, 64), (.listLink, 72), (.listHead, 80), (.listTaken, 88), (.itemsInside, 4), (.itemsOnPage, 8),
    (.classBytes, 0x0504_0302_0100), (.workloopType, 77), (.wordCount, 128), (.listStart, 64), (.listSlots, 96),
    (.pageSlots, 16),
    (.nodeAudience, 16), (.nodeClass, 26), (.itemClass, 8), (.sourceType, at(0x1F00)), (.superclass, 8),
  ]
  private static func at(_ place: Int) -> UInt64 { data + UInt64(place) }

  /// The process's own data.
  private static let memory: [UInt8] = {
    var all = [UInt8](repeating: 0, count: dataSize)
    for (word, value) in table { all.put(value, at: tablePlace + word.rawValue * 8) }
    for slot in 1...3 {
      all.put(owner(slot) | UInt64(99 + slot) << 32, at: slots + slot * 16)
      all.put(at(records + slot * 0x40), at: slots + slot * 16 + 8)
      all.put(at(frame + slot * 0x20), at: records + slot * 0x40)
      // A drain's frame, with the words of its item.
      for (place, word) in ([at(one) | 2, 0, base + 0x1010, 0] as [UInt64]).enumerated() {
        all.put(word, at: frame + slot * 0x20 + place * 8)
      }
    }
    all.put(3, at: highest)
    all.put(owner(1), at: mainOwner)
    // The second waits for a mutex that the third has, the third for its turn on the second's queue.
    wait(&all, 2, kind: 3, object: at(lock), word: 1 << 56 | at(lock))
    wait(&all, 3, kind: 15, object: at(one), word: 5 << 56 | at(one))
    all.put(owner(3), 4, at: lock)
    for (place, word) in ([UInt64(2), 101 | 1 << 32, 0] as [UInt64]).enumerated() { all.put(word, at: foreign + place * 8) }
    queue(&all, one, kind: 0, state: owner(2) | 1 << 24, label: "accounts", target: other)
    queue(&all, other, kind: 1, state: 2 << 24 | 1 << 40, label: "reports", target: root)
    queue(&all, root, kind: 2, state: 0, label: "root", target: nil)
    // Items on a page of their own.
    all.put(at(page) << 16 | 3, at: other + 64)
    all.put(at(page), at: other + 72)
    all.put(1, at: other + 80)
    // In itself a closure and a node of a work item; on the page a closure of a class, a queue's turn, a C function.
    for (place, item)
      in ([
        (other + 96 + 16, [base + 0x1020, at(places)]), (other + 96 + 32, [1, at(node)]), (other + 96 + 48, [4, at(item)]),
        (page + 16, [1, at(node + 32)]), (page + 32, [3, at(one)]), (page + 48, [1 << 63 | base + 0x1030, 0]),
        (node, [4, at(item), at(root), 0x15 << 16]), (node + 32, [base + 0x1020, 0, 0, 0x21 << 16]), (item, [0, 4]),
      ] as [(Int, [UInt64])])
    {
      for (number, word) in item.enumerated() { all.put(word, at: place + number * 8) }
    }
    for (place, word) in ([UInt64(4), at(places) - 32] as [UInt64]).enumerated() { all.put(word, at: register + place * 8) }
    for (place, word) in ([at(one), at(other), at(root), 1] as [UInt64]).enumerated() { all.put(word, at: places + place * 8) }
    for (place, word) in ([at(stack + 64), base + 0x1040, 0, 0, 0, 0, 0, 0, 0, base + 0x1080] as [UInt64]).enumerated() {
      all.put(word, at: stack + place * 8)
    }
    return all
  }()

  private static func wait(_ all: inout [UInt8], _ slot: Int, kind: UInt64, object: UInt64, word: UInt64) {
    let words: [UInt64] = [2, owner(slot), 0, kind, object, 1_000_000, 0, 0, 1 | 1 << 8 | 1 << 16 | 2 << 24, word]
    let place = waits + slot * waitSize
    for (index, word) in words.enumerated() { all.put(word, at: place + index * 8) }
    all.put(at(one) | 2, at: place + 13 * 8)
    all.put(at(lock), at: place + 17 * 8)
    all.put(base + 0x1010, at: place + 21 * 8)
    all.put(base + 0x1040, at: place + 22 * 8)
  }

  private static func queue(_ all: inout [UInt8], _ place: Int, kind: UInt64, state: UInt64, label: String, target: Int?) {
    all.put(55, at: place)
    all.put(state, at: place + 16)
    all.put(target.map(at) ?? 0, at: place + 24)
    all.put(kind, 1, at: place + 32)
    all.put(4, 4, at: place + 36)
    all.put(3, 1, at: place + 40)
    let words = StringForm.words(label)
    all.put(words.first, at: place + 48)
    all.put(words.second, at: place + 56)
    all.put(3, at: place + 64)
    all.put(1, at: place + 80)
    all.put(2, at: place + 88)
  }

  // MARK: the file

  private static func note(_ type: UInt64, _ contents: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    for (place, number) in ([5, UInt64(contents.count), type] as [UInt64]).enumerated() { all.put(number, 4, at: place * 4) }
    return all + Array("CORE\0\0\0\0".utf8) + contents + [UInt8](repeating: 0, count: (4 - contents.count % 4) % 4)
  }

  private static let notes: [UInt8] = {
    var all: [UInt8] = []
    for thread in 0..<3 {
      var status = [UInt8](repeating: 0, count: 336)
      status.put(UInt64(100 + thread), 4, at: 32)
      // A call by which the first waits for the C library's mutex; the others sleep for nothing.
      let call: [Int: UInt64] = [
        15: 202, 14: at(foreign), 13: 128, 12: 2, 7: 0, 19: at(stack), 16: base + 0x1010, 4: at(stack),
      ]
      for (register, value) in call { status.put(register == 14 && thread > 0 ? 0 : value, at: 112 + register * 8) }
      all += note(1, status)
      guard thread == 0 else { continue }
      var information = [UInt8](repeating: 0, count: 136)
      information.put(100, 4, at: 24)
      information.put(Array("probe".utf8), at: 40)
      all += note(3, information)
    }
    var auxiliary: [UInt8] = []
    for (place, word) in ([9, base + 0x1000, 0, 0] as [UInt64]).enumerated() { auxiliary.put(word, at: place * 8) }
    var files: [UInt8] = []
    let words: [UInt64] = [
      3, 4096, base, base + 0x1000, 0, base + 0x1000, base + 0x2000, 1, 0x70_0000, 0x70_2000, 0,
    ]
    for (place, word) in words.enumerated() { files.put(word, at: place * 8) }
    return all + note(6, auxiliary) + note(0x4649_4C45, files + Array("/none/probe\0/none/probe\0/none/lib.so\0".utf8))
  }()

  /// The core dump.
  static let bytes: [UInt8] = {
    var file: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]
    for (place, width, value) in [(16, 2, 4), (18, 2, 62), (20, 4, 1), (32, 8, 64), (52, 2, 64), (54, 2, 56), (56, 2, 3)] {
      file.put(UInt64(value), width, at: place)
    }
    var offset = 64 + 3 * 56
    let parts: [(type: UInt64, address: UInt64, bytes: [UInt8])] = [
      (4, 0, notes), (1, base, Array(program[..<4096])), (1, data, memory),
    ]
    for (place, part) in parts.enumerated() {
      let entry = 64 + place * 56, size = UInt64(part.bytes.count)
      file.put(part.type, 4, at: entry)
      for (field, value) in [(8, UInt64(offset)), (16, part.address), (32, size), (40, size)] {
        file.put(value, at: entry + field)
      }
      offset += part.bytes.count
    }
    file.put(0, at: 64 + 3 * 56 - 8)
    return file + parts.flatMap(\.bytes)
  }()
}
