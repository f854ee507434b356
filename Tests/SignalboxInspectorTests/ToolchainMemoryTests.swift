// ToolchainMemoryTests.swift: the reader of the toolchain's library over memory that is made up: two threads in a
// cycle, a queue that is handed over, and words without sense. Programs that run are ToolchainProcessTests.
import Glibc
import SignalboxSystem
import SignalboxView
import Testing

@testable import SignalboxInspector

/// Where the tables lie that objects begin with, eight bytes apart.
private let firstTable: UInt64 = 0x7000_0000

private func madeLibrary() throws -> ToolchainLibrary {
  let layout = try #require(ToolchainLayout(offsets: [6, 72, 8, 0, 0, 64, 8, 80, 2, 0, 0, 0, 0, 24, 8]))
  let kinds = ToolchainKind.allCases.enumerated().map { (firstTable + 8 * UInt64($0.offset), $0.element) }
  let image = ReadImages.Image(path: "/libdispatch.so", base: 0, ranges: [])
  return ToolchainLibrary(image: image, kinds: Dictionary(uniqueKeysWithValues: kinds), layout: layout)
}

/// Memory of 4,096 words, among which kinds' tables and addresses within the memory are likely.
private struct WildMemory: ProcessMemory {
  static let start: UInt64 = 0x10_0000
  let bytes: [UInt8]

  init(seed: UInt64) {
    var random = Dice(seed: seed), all: [UInt8] = []
    for _ in 0..<4096 {
      let word: UInt64 =
        switch UInt64.random(in: 0..<8, using: &random) {
        case 0...1: firstTable + 8 * UInt64.random(in: 0..<10, using: &random)
        case 2...3: Self.start + 16 * UInt64.random(in: 0..<2048, using: &random)
        case 4: ToolchainLayout.Object.listless
        case 5: UInt64.random(in: 0..<8, using: &random)
        case 6: UInt64.max - UInt64.random(in: 0..<128, using: &random)
        default: random.next()
        }
      withUnsafeBytes(of: word) { all += $0 }
    }
    bytes = all
  }

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    guard address.bits >= Self.start, address.bits - Self.start < UInt64(bytes.count) else { return nil }
    let place = Int(address.bits - Self.start)
    return count <= bytes.count - place ? Array(bytes[place..<place + count]) : nil
  }
}

/// Threads 11 and 12, each of which has a serial queue and waits for the other's.
private struct CrossedProcess: ReadProcess {
  var made = MadeMemory(bytes: [UInt8](repeating: 0, count: 4096))
  var count: UInt64? = 7
  let id: Int32 = 11, name = "crossed", source = "memory", unread: [String] = []
  var memory: any ProcessMemory { made }
  var images: ReadImages { ReadImages([]) }
  var now: UInt64? { nil }
  var times: ReadTimes? { nil }

  static let root = MadeMemory.base + 0x100
  static func queue(of thread: Int32) -> UInt64 { MadeMemory.base + 0x100 * UInt64(thread - 9) }
  static func record(of thread: Int32) -> UInt64 { MadeMemory.base + 0x100 * UInt64(thread - 3) }

  init() {
    object(Self.root, .global, references: 0x7fff_ffff_7fff_ffff, target: 0)
    for thread in [11, 12] as [Int32] {
      object(Self.queue(of: thread), .serial, references: 2, target: Self.root)
      own(thread, Self.queue(of: thread))
      let record = Self.record(of: thread)
      made.set(Self.queue(of: 23 - thread), at: record + ToolchainLayout.Waiter.queue)
      made.set(UInt64(thread) << 32 | 0xffff_ffff, at: record + ToolchainLayout.Waiter.word)
    }
  }

  private mutating func object(_ address: UInt64, _ kind: ToolchainKind, references: UInt64, target: UInt64) {
    let number = ToolchainKind.allCases.firstIndex(of: kind) ?? 0
    made.set(firstTable + 8 * UInt64(number), at: address)
    made.set(references, at: address + ToolchainLayout.Object.references)
    made.set(ToolchainLayout.Object.listless, at: address + ToolchainLayout.Object.next)
    made.set(target, at: address + 24)
  }

  mutating func own(_ thread: Int32, _ queue: UInt64) { made.set(UInt64(thread), at: queue + ToolchainLayout.Queue.state) }

  func threads() -> [ReadThread] {
    [11, 12].map { ReadThread(id: $0, outerID: $0, name: "t\($0)", state: "S") }
  }

  func call(of thread: ReadThread) -> KernelCall? {
    #if arch(x86_64)
    let futex = 202
    #else
    let futex = 98
    #endif
    let word = UInt(Self.record(of: thread.id) + ToolchainLayout.Waiter.word)
    return KernelCall(futex, [word, 128, 0xffff_ffff, 0, 0, 0], stackPointer: 0)
  }

  func switches(of thread: ReadThread) -> UInt64? { count }

  func reader() throws -> ToolchainThreadReader {
    let whole = ReadNumber(MadeMemory.base)..<ReadNumber(MadeMemory.base) + ReadNumber(count: made.bytes.count)
    let objects = ToolchainObjects(try madeLibrary(), made, [whole])
    return ToolchainThreadReader(process: self, objects: objects, ids: [11, 12])
  }
}

@Suite("The toolchain's library in memory") struct ToolchainMemoryTests {
  @Test("Two threads wait for each other's queue: each names the other, and a second reading finds the same")
  func crossed() throws {
    let process = CrossedProcess(), reader = try process.reader()
    let threads = reader.read(process.threads())
    #expect(threads.map(\.wait) == [12, 11].map { .turn(CrossedProcess.queue(of: $0)) })
    #expect(threads.map(\.end) == [.holder(12), .holder(11)] && threads.allSatisfy { reader.stillStands($0, among: threads) })
  }

  @Test("A thread that a queue was handed to, or whose word was changed, waits no more, though it sleeps")
  func handedOver() throws {
    var process = CrossedProcess()
    process.own(11, CrossedProcess.queue(of: 12))
    var reader = try process.reader()
    #expect(reader.read(process.threads()).map(\.end) == [.over, .holder(11)])
    process = CrossedProcess()
    process.made.set(11 << 32, at: CrossedProcess.record(of: 11) + ToolchainLayout.Waiter.word)
    reader = try process.reader()
    #expect(reader.read(process.threads()).map(\.end) == [.over, .holder(11)])
  }

  @Test("Where the kernel does not tell whether a thread has run, no second reading stands")
  func uncounted() throws {
    var process = CrossedProcess()
    process.count = nil
    let reader = try process.reader(), threads = reader.read(process.threads())
    #expect(threads.map(\.end) == [.holder(12), .holder(11)] && threads.allSatisfy { !reader.stillStands($0, among: threads) })
  }

  @Test("Whatever lies in memory, reading it ends, and what is found is a queue down to its root")
  func wild() throws {
    let library = try madeLibrary()
    var found = 0
    for seed in 1...400 as ClosedRange<UInt64> {
      let memory = WildMemory(seed: seed), start = ReadNumber(WildMemory.start)
      let objects = ToolchainObjects(library, memory, [start..<start + ReadNumber(count: memory.bytes.count)])
      found += objects.queues.count
      for queue in objects.queues.values where queue.kind != .global { #expect(objects.queues[queue.target] != nil) }
    }
    #expect(found > 0)
  }

  @Test("The queues that a thread is in: the innermost first; of another thread's words, or of a list that goes back, nothing")
  func places() {
    var memory = MadeMemory(bytes: [UInt8](repeating: 0, count: 1024))
    let words = MadeMemory.base + 0x100, frame = MadeMemory.base + 0x200, outer = MadeMemory.base + 0x240
    func read() -> [UInt64]? { ToolchainPlaces.reading(at: words, of: 11, memory) }
    #expect(read() == [], "a thread that has not used the library yet")
    memory.set(11, at: words)
    #expect(read() == [])
    memory.set(7, at: words + ToolchainLayout.Specific.queue)
    #expect(read() == [7])
    memory.set(frame, at: words + ToolchainLayout.Specific.frame)
    memory.set(8, at: frame + ToolchainLayout.Frame.queue)
    memory.set(outer, at: frame + ToolchainLayout.Frame.outer)
    memory.set(9, at: outer + ToolchainLayout.Frame.queue)
    #expect(read() == [7, 8, 9])
    memory.set(frame, at: outer + ToolchainLayout.Frame.outer)
    #expect(read() == nil, "the list goes back")
    memory.set(1 << 40, at: outer + ToolchainLayout.Frame.outer)
    #expect(read() == nil, "the list leads nowhere")
    memory.set(12, at: words)
    #expect(read() == nil, "they are another thread's")
  }

  @Test("A source is read by its registration, which names it: another one's is none")
  func sources() throws {
    var library = try madeLibrary(), memory = MadeMemory(bytes: [UInt8](repeating: 0, count: 1024))
    library.sources = [0x77: .timer, 0x88: .read]
    let source = MadeMemory.base + 0x40, place = MadeMemory.base + 0x200
    func read() -> ToolchainSource? { ToolchainSourceReader(library: library, memory: memory).source(source) }
    memory.set(place, at: source + ToolchainLayout.Source.registration)
    memory.set(0x77, at: place + ToolchainLayout.Source.kind)
    #expect(read() == nil)
    memory.set(~source, at: place + ToolchainLayout.Source.owner)
    memory.set(2, at: place + ToolchainLayout.Source.subject)
    memory.set(5_000_000_000, at: place + ToolchainLayout.Source.due)
    let times = ReadTimes(uptime: 1, continuous: 2, wall: 3_000_000_000)
    #expect(read()?.kind == .timer && read()?.due == 5_000_000_000 && read()?.seconds(at: times) == 2)
    #expect(read()?.seconds(at: nil) == nil)
    memory.set(.max, at: place + ToolchainLayout.Source.due)
    #expect(read()?.due == nil && read()?.seconds(at: times) == nil)
    memory.set(0x88, at: place + ToolchainLayout.Source.kind)
    #expect(read()?.kind == .read && read()?.subject == 2)
    memory.set(0x99, at: place + ToolchainLayout.Source.kind)
    #expect(read() == nil)
  }

  @Test("Functions of the C library in which threads wait, with and without underscores; others are none of these")
  func waits() {
    let names = [
      "pthread_cond_wait", "__pthread_cond_timedwait", "pthread_rwlock_rdlock", "pthread_rwlock_clockwrlock", "sem_wait",
    ]
    let waits: [CLibraryWait] = [.condition, .condition, .readLock, .writeLock, .semaphore]
    #expect(names.map { CLibraryWait(function: $0) } == waits)
    for name in ["poll", "pthread_mutex_lock", "pthread_rwlock_unlock", "semaphore", ""] {
      #expect(CLibraryWait(function: name) == nil, "\(name)")
    }
  }

  @Test("The C library's records of this process's threads: each has one, with the library's part of its memory")
  func records() throws {
    let process = try LiveProcess(#require(OtherProcess(OwnProcess.id)))
    let ids = Set(process.threads().map(\.id)), records = try #require(CLibraryThreads(process, ids: ids))
    #expect(records.records[ThreadSlot.kernelID()] == UInt64(pthread_self()))
    // Threads of other tests may come and go meanwhile.
    #expect(!records.records.isEmpty && Set(records.records.keys).isSubset(of: ids))
  }
}
