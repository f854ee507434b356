// WholeRecording.swift: a recording with some of everything, as the recorder would write it: what the edits of an input
// damage. Its form is described in SignalboxRecorder.
import SignalboxRecorder
import SignalboxWords

enum WholeRecording {
  private typealias Layout = RecordLayout
  /// How many threads it has: the main thread and two workers.
  static let threads = 3
  private static let start: UInt64 = 1_000_000_000
  private static let main: UInt64 = 0x1000, serial: UInt64 = 0x4000, lock: UInt64 = 0x5000, group: UInt64 = 0x6000
  private static let source: UInt64 = 0x7001, timer: UInt64 = 0x7101, operation: UInt64 = 0x8000, loop: UInt64 = 0x9000

  /// Where the events of a thread begin.
  private static func cells(_ thread: Int) -> Int { Layout.headSize + (thread + 1) * Layout.chunkSize + Layout.chunkHeadSize }

  private static func cell(_ kind: EventKind, _ time: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64) -> [UInt8] {
    let words = EventCell(kind, time: time, a, b, c).words
    var bytes: [UInt8] = []
    for (place, word) in [words.0, words.1, words.2].enumerated() { bytes.put(word, at: place * 8) }
    return bytes
  }

  private static let kinds = EventKind.allCases.filter(\.isRecorded)

  /// What the input adds to a thread: an event of any kind, about any of the things.
  static func event(_ input: inout InputBytes, _ counts: inout [Int]) -> (place: Int, bytes: [UInt8])? {
    let thread = Int(input.next()) % threads, kind = kinds[Int(input.next()) % kinds.count]
    let known: [UInt64] = [main, serial, lock, group, source, timer, operation, loop, 0x10, 0x11, 7, 8, 1, 0, (1 << 48) - 1, 2]
    let time = input.number(2) * 100, things = input.next(), third = input.next()
    let a = known[Int(things & 15)], b = known[Int(things >> 4)]
    let c = third < 16 ? known[Int(third)] : third < 200 ? UInt64(third) : input.number(6)
    defer { counts[thread] += 1 }
    return (
      cells(thread) + (written[thread].count + counts[thread]) * Layout.cellSize, cell(kind, 100_000 + time, a, b, c)
    )
  }

  private struct Event {
    var kind: EventKind
    var time: UInt64
    var a: UInt64 = 0, b: UInt64 = 0, c: UInt64 = 0
  }

  /// What each thread wrote, with times in nanoseconds behind the start.
  private static let written: [[Event]] = {
    var all: [[Event]] = (0..<threads).map { thread in
      [
        Event(kind: .threadBegan, time: 0, a: UInt64(thread + 1), b: who(thread), c: who(thread) >> 48),
        Event(kind: .threadName, time: 0, a: 0x656d_616e, b: 0, c: 0), Event(kind: .mark, time: 10, a: 0xA000, b: 3),
      ]
    }
    func add(_ thread: Int, _ time: UInt64, _ kind: EventKind, _ a: UInt64 = 0, _ b: UInt64 = 0, _ c: UInt64 = 0) {
      all[thread].append(Event(kind: kind, time: time, a: a, b: b, c: c))
    }
    for number in UInt64(0)..<4 {
      let at = 1_000 + number * 1_000
      add(0, at, .submitted, serial | number, 0x10 + number, 0x100010)
      add(1, at + 200, .started, serial, 0x10 + number, 0x100010)
      add(1, at + 300, .waitBegan, lock, 9, 3)
      add(1, at + 400, .waitEnded)
      add(1, at + 600, .ended)
    }
    add(0, 6_000, .turnBegan, serial, 1)
    add(0, 6_100, .turnEnded)
    add(0, 6_200, .groupEntered, group, 2, 0)
    add(2, 6_300, .groupLeft, group, 1, 2)
    add(2, 6_350, .groupLeft, group, 1, 1)
    add(0, 6_400, .notified, group, 0x20)
    add(0, 6_410, .submitted, main, 0x20)
    add(0, 6_500, .semaphoreSignalled, 0x6100, 1)
    add(2, 6_600, .parked, 8, 0)
    add(2, 6_700, .woken, 8, 0)
    add(0, 7_000, .timerArmed, serial, 0x21, 2_000)
    add(0, 7_050, .timerArmed, timer, 0, 1_000)
    add(2, 9_000, .timerFired, serial, 0x21, 400)
    add(2, 9_050, .timerFired, timer, 0, 1)
    add(2, 9_100, .timerCancelled, timer)
    add(2, 9_200, .sourceBegan, source, 4, 0x100020)
    add(2, 9_300, .sourceEnded, source)
    add(2, 9_400, .transferBegan, 0x7200, TransferTraits.isWrite | 5, 100)
    add(2, 9_500, .transferEnded, 0x7200, 60, 5 << 16)
    add(0, 9_600, .operationAdded, operation, 0x8100 | OperationTraits.isNamed, 0xB000)
    add(0, 9_610, .operationReady, operation, 0x8200)
    add(1, 9_700, .operationBegan, operation, 0x8100, 0xB000)
    add(1, 9_800, .operationReturned, operation)
    add(1, 9_850, .operationFinished, operation, OperationTraits.isCancelled)
    add(0, 9_900, .operationCancelled, operation)
    add(0, 10_000, .loopBegan, loop, 0xA100)
    for phase in LoopPhase.allCases { add(0, 10_000 + phase.rawValue * 100, .loopPhase, loop, phase.rawValue) }
    add(0, 11_000, .loopEnded, loop)
    add(0, 11_100, .intervalBegan, 0xA000, 5)
    add(0, 31_000_000, .intervalEnded, 0xA000, 6)
    add(0, 31_000_100, .started, main, 0x20)
    add(0, 81_000_100, .ended)
    add(1, 81_000_200, .onceBegan, 0xC000)
    add(1, 81_000_300, .onceEnded, 0xC000)
    add(1, 81_000_400, .workItemCancelled, 0x13, serial)
    add(1, 81_000_500, .turnHanded, serial, 9)
    add(1, 81_000_600, .reported, RecordedReport.stall.rawValue, 1)
    add(1, 81_000_610, .taskNamed, 0x6b_6e69_7264, 0x6665, 0)
    add(1, 81_000_620, .taskRuns, 7 | TaskTraits.begins, TaskTraits.chain | 5, 3)
    add(1, 81_000_630, .started, serial, 0x14)
    add(1, 81_000_640, .ended)
    add(1, 81_000_650, .taskRuns, 7, TaskTraits.chain | 5)
    add(1, 81_000_660, .started, serial, 0x14)
    add(1, 81_000_670, .ended)
    add(1, 81_000_680, .taskRuns, 0, 0xE000, 0xB000)
    add(1, 81_000_690, .started, serial, 0x15)
    add(1, 81_000_700, .threadEnded)
    return all
  }()

  private static func who(_ thread: Int) -> UInt64 {
    UInt64(7 + thread) | UInt64(40 + thread) << 32 | (thread == 0 ? Layout.isMain : Layout.isWorker)
  }

  /// The file.
  static let bytes: [UInt8] = {
    var file = [UInt8](repeating: 0, count: Layout.headSize + (threads + 1) * Layout.chunkSize)
    let head: [(Layout.Head, UInt64)] = [
      (.magic, Layout.magic), (.version, Layout.version | UInt64(Layout.chunkSize) << 32), (.process, 40), (.startTicks, start),
      (.startUptime, start), (.startWall, 1_700_000_000_000_000_000), (.chunksTaken, UInt64(threads + 1)), (.chunkLimit, 8),
      (.state, 2), (.ticks0, start + 1_000), (.uptime0, start + 1_000),
    ]
    for (word, value) in head { file.put(value, at: word.rawValue * 8) }
    names(in: &file)
    for (thread, events) in written.enumerated() {
      let chunk = cells(thread) - Layout.chunkHeadSize
      let words: [(Layout.Chunk, UInt64)] = [
        (.kind, Layout.events), (.thread, who(thread)), (.number, UInt64(thread + 1)), (.base, start), (.ring, UInt64(thread)),
      ]
      for (word, value) in words { file.put(value, at: chunk + word.rawValue * 8) }
      for (place, event) in events.enumerated() {
        file.put(cell(event.kind, event.time, event.a, event.b, event.c), at: cells(thread) + place * Layout.cellSize)
      }
    }
    return file
  }()

  private static func names(in file: inout [UInt8]) {
    file.put(Layout.names, at: Layout.headSize)
    let long = String(repeating: "long ", count: 30)
    let names: [(NameKind, UInt64, UInt64, String)] = [
      (.queue, main, 3 | 3 << 8, "main"), (.queue, serial, 3 << 8, "accounts"), (.object, lock, 3, "mutex \"ledger\""),
      (.image, 0x100000, 0x200000, "fff00 /bin/none"), (.note, 0xA000, 0, "load"), (.type, 0xB000, 0, "Import"),
      (.queue, 0x8100, 1, long), (.queue, source & ~1, 1, "source"), (.note, 0xA100, 0, "mode"),
      (.chain, TaskTraits.chain | 5, 0, "100010 100020 9 zz"),
    ]
    var entry = 0
    for (kind, address, extra, text) in names {
      let place = Layout.headSize + Layout.chunkHeadSize + entry * Layout.nameSize, room = Layout.nameSize - Layout.nameText
      let bytes = Array(text.utf8), more = bytes.count > room ? 1 : 0
      file.put(UInt64(kind.rawValue) | UInt64(more) << 8 | UInt64(bytes.count) << 16, at: place)
      file.put(address, at: place + 8)
      file.put(start, at: place + 16)
      file.put(extra, at: place + 24)
      file.put(Array(bytes.prefix(room)), at: place + Layout.nameText)
      if more > 0 {
        let next = place + Layout.nameSize
        file.put(UInt64(NameKind.more.rawValue), at: next)
        file.put(Array(bytes.dropFirst(room)), at: next + Layout.moreText)
      }
      entry += 1 + more
    }
  }
}
