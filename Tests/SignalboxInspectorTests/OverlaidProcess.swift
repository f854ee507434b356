// OverlaidProcess.swift: a process whose memory is read in another way than it is there: some words are others, or the
// process is ended after some readings. All else is the process's own.
import SignalboxSystem
import SignalboxView
import Synchronization

@testable import SignalboxInspector

/// A process with another memory.
struct OverlaidProcess: ReadProcess {
  private let process: any ReadProcess
  let memory: any ProcessMemory

  init(_ process: any ReadProcess, memory: any ProcessMemory) { (self.process, self.memory) = (process, memory) }

  /// How often its memory was read; 0 if that was not counted.
  var counted: Int { (memory as? CountedMemory)?.count ?? 0 }

  var id: Int32 { process.id }
  var name: String { process.name }
  var images: ReadImages { process.images }
  var tables: [(image: String, place: ReadNumber)] { process.tables }
  var written: [Range<ReadNumber>] { process.written }
  func file(_ path: String) -> String { process.file(path) }
  func threads() -> [ReadThread] { process.threads() }
  func call(of thread: ReadThread) -> KernelCall? { process.call(of: thread) }
  func switches(of thread: ReadThread) -> UInt64? { process.switches(of: thread) }
  var now: UInt64? { process.now }
  var ticks: UInt64? { process.ticks }
  var times: ReadTimes? { process.times }
  var source: String { process.source }
  var unread: [String] { process.unread }
}

/// Memory that counts its readings, and calls a function before one of them.
final class CountedMemory: ProcessMemory, Sendable {
  private let memory: any ProcessMemory
  private let readings = Atomic(0)
  private let most: Int
  private let then: @Sendable () -> Void

  init(_ memory: any ProcessMemory, after most: Int, _ then: @escaping @Sendable () -> Void) {
    (self.memory, self.most, self.then) = (memory, most, then)
  }

  var count: Int { readings.load(ordering: .relaxed) }

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    if readings.add(1, ordering: .relaxed).oldValue == most { then() }
    return memory.bytes(address, count)
  }
}

/// Memory of which some words are others.
struct PatchedMemory: ProcessMemory {
  let memory: any ProcessMemory
  /// By their addresses, multiples of eight.
  let words: [UInt64: UInt64]

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    guard var bytes = memory.bytes(address, count) else { return nil }
    let start = address.bits
    for (place, word) in words where place &+ 8 > start && place < start &+ UInt64(count) {
      for byte in UInt64(0)..<8 where place &+ byte >= start && place &+ byte < start &+ UInt64(count) {
        bytes[Int(place &+ byte &- start)] = UInt8(truncatingIfNeeded: word >> (8 * byte))
      }
    }
    return bytes
  }
}
