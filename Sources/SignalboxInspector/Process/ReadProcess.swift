// ReadProcess.swift: what is asked of a process that is read: a running one (LiveProcess.swift), or what a core dump
// has of one (CoreFile.swift). What is found there is RemoteInspection.swift.
import SignalboxSystem
import SignalboxView

/// A process that is read.
protocol ReadProcess: Sendable {
  /// Its number to itself, and its name.
  var id: Int32 { get }
  var name: String { get }
  var memory: any ProcessMemory { get }
  /// The programs and libraries in it.
  var images: ReadImages { get }
  /// Where the descriptions of its copies of Signalbox lie, each with its program or library.
  var tables: [(image: String, place: ReadNumber)] { get }
  /// The parts of its memory that it has written.
  var written: [Range<ReadNumber>] { get }
  /// A file that it has mapped, as it is reached from here.
  func file(_ path: String) -> String
  /// Its threads, by number.
  func threads() -> [ReadThread]
  /// The system call that a thread sleeps in at this moment; nil if it runs, or if that is not known.
  func call(of thread: ReadThread) -> KernelCall?
  /// The same number in two readings: the thread has not run in between.
  func switches(of thread: ReadThread) -> UInt64?
  /// The uptime in nanoseconds at this moment; nil: not known.
  var now: UInt64? { get }
  /// The processor's counter at this moment, which the process reads too; nil: not known.
  var ticks: UInt64? { get }
  /// What its clocks show at this moment; nil: not known.
  var times: ReadTimes? { get }
  /// How the process is read: a word of the answer.
  var source: String { get }
  /// What cannot be read of it, in words.
  var unread: [String] { get }
}

extension ReadProcess {
  var written: [Range<ReadNumber>] { [] }
  func file(_ path: String) -> String { path }
  var ticks: UInt64? { nil }
  var tables: [(image: String, place: ReadNumber)] { DescribedCopy.tables(of: images, memory) }
}

/// The time that each clock shows.
struct ReadTimes: Sendable {
  var uptime: UInt64, continuous: UInt64, wall: UInt64

  static var present: ReadTimes { ReadTimes(uptime: Clock.uptime(), continuous: Clock.continuous(), wall: Clock.wall()) }

  func time(on clock: TimerClock) -> UInt64 {
    switch clock {
    case .uptime: uptime
    case .continuous: continuous
    case .wall: wall
    }
  }
}

/// A thread of it.
struct ReadThread: Sendable {
  /// The number that the process knows, and the kernel's here.
  var id: Int32, outerID: Int32
  /// Empty where that is not known.
  var name: String
  /// The kernel's letter; nil: not known.
  var state: Character?
}

/// The files that a process has mapped.
struct ReadImages: Sendable {
  /// A file with executable code, and where its beginning lies.
  struct Image: Sendable, Equatable {
    var path: String
    var base: ReadNumber
    var ranges: [Range<ReadNumber>]
  }
  private(set) var all: [Image] = []

  /// The images among these parts. The parts of one lie in a row, the one with the file's beginning first. `extent` says how much memory
  /// the image of a file takes.
  init(_ parts: [OtherImages.Part], extent: (String) -> ReadNumber? = ImageFunctions.extent(of:)) {
    for part in parts {
      let range = part.range
      // The page of the beginning may hold other parts too, and is mapped again for each: they lie within the image.
      if part.offset == 0, let last = all.last, last.path == part.path, range.lowerBound > last.base,
        range.lowerBound - last.base < extent(part.path) ?? 0
      {
        all[all.count - 1].ranges.append(range)
      } else if part.offset == 0 || all.last?.path != part.path {
        guard part.offset == 0 else { continue }
        all.append(Image(path: part.path, base: range.lowerBound, ranges: [range]))
      } else if range.lowerBound >= all[all.count - 1].base {  // a core that is damaged may say anything
        all[all.count - 1].ranges.append(range)
      }
    }
  }

  /// The image at an address.
  func image(at address: ReadNumber) -> Image? { all.first { $0.ranges.contains { $0.contains(address) } } }

  /// Calls the image of this path by another.
  mutating func rename(_ path: String, to other: String) {
    for index in all.indices where all[index].path == path { all[index].path = other }
  }
}

// MARK: stacks

extension ReadImages.Image {
  /// As stacks are walked through it; its file is at `path` from here.
  func walked(_ path: String) -> OtherStacks.Image {
    OtherStacks.Image(path: RawString(path), base: base.bits, end: ranges.map(\.upperBound.bits).max() ?? base.bits)
  }
}

extension OtherStacks {
  /// The stacks of a process with this memory.
  convenience init(_ images: [Image], _ memory: any ProcessMemory) {
    self.init(images) { address, room in
      guard let bytes = memory.bytes(ReadNumber(UInt64(address)), room.count) else { return false }
      room.copyBytes(from: bytes)
      return true
    }
  }
}

extension StackReading {
  /// As an inspection has it.
  var shown: (addresses: [ReadNumber], gap: String?) { (addresses.map { ReadNumber(UInt64($0)) }, gap?.text) }
}
