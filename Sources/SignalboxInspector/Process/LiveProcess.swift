// LiveProcess.swift: a running process, whose memory the kernel shows, or the process itself. What a core dump has of
// one is CoreFile.swift.
import SignalboxSystem
import SignalboxView

/// A running process as the kernel and its memory show it. Nothing in it has to run, and nothing is stopped.
struct LiveProcess: ReadProcess {
  let id: Int32
  let name: String
  let memory: any ProcessMemory
  let images: ReadImages
  private let outerID: Int32
  private let birth: [UInt8]?
  /// Where the one description lies of which an answering process tells; nil: the kernel shows all.
  private let table: ReadNumber?

  /// - Throws: why the process's memory cannot be read.
  init(_ process: OtherProcess) throws(SystemError) {
    let other = OtherMemory(of: process.id)
    try Self.probe(other)
    (id, outerID, name) = (process.innerID, process.id, process.name)
    memory = CopiedMemory(other)
    birth = Self.birth(of: process.id, memory)
    images = ReadImages(OtherImages.parts(process: process.id))
    table = nil
  }

  /// A process that answers for one copy of Signalbox in it.
  init(_ process: OtherProcess, _ requests: ProcessRequests) {
    (id, outerID, name) = (process.innerID, process.id, process.name)
    (memory, birth, table) = (requests, nil, requests.table)
    images = ReadImages(OtherImages.parts(process: process.id))
  }

  var tables: [(image: String, place: ReadNumber)] {
    guard let table else { return DescribedCopy.tables(of: images, memory) }
    return [(images.image(at: table)?.path ?? "", table)]
  }

  /// Whether it has become another program since: an exec leaves the number, and what was read belongs to two.
  var isAnotherProgram: Bool { Self.birth(of: outerID, memory) != birth }

  /// The bytes that the kernel draws for each program that begins; nil where it does not show them.
  private static func birth(of process: Int32, _ memory: any ProcessMemory) -> [UInt8]? {
    // Pairs of a kind and a value; 25 is AT_RANDOM.
    let pairs = ProcessFiles.contents("auxv", of: process, most: 4096)
    let place = stride(from: 0, to: pairs.count - 15, by: 16).first { pairs.word64(at: $0) == 25 }
    return place.flatMap { memory.bytes(pairs.word64(at: $0 + 8), 16) }
  }

  /// Where no memory is the kernel says so to a process that may read, and refuses any other before.
  private static func probe(_ other: OtherMemory) throws(SystemError) {
    do throws(SystemError) {
      var word: UInt64 = 0
      try withUnsafeMutableBytes(of: &word) { (bytes) throws(SystemError) in try other.read(4096, into: bytes) }
    } catch {
      if error.code != ErrorNumber.noMemoryThere { throw error }
    }
  }

  var written: [Range<ReadNumber>] { OtherPages.written(process: outerID) }
  // In a container a path leads elsewhere from here.
  func file(_ path: String) -> String { "/proc/\(outerID)/root\(path)" }

  /// The stacks of its threads that sleep, walked from outside; nil for one that runs.
  var stacks: (_ thread: ReadThread) -> StackReading? {
    let walker = OtherStacks(images.all.map { $0.walked(file($0.path)) }, memory)
    return { [outerID] in walker.reading($0.outerID, of: outerID) }
  }

  func threads() -> [ReadThread] {
    OtherThread.all(of: outerID).map { ReadThread(id: $0.innerID, outerID: $0.id, name: $0.name, state: $0.state) }
  }
  func call(of thread: ReadThread) -> KernelCall? { KernelCall(of: thread.outerID, process: outerID) }
  func switches(of thread: ReadThread) -> UInt64? { KernelThread.switches(thread.outerID, ofProcess: outerID) }
  var now: UInt64? { Clock.uptime() }
  var ticks: UInt64? { Clock.ticks() }
  var times: ReadTimes? { .present }
  var source: String { table == nil ? "memory" : "answers" }
  var unread: [String] { [] }
}
