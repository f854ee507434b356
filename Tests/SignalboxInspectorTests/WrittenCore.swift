// WrittenCore.swift: a core dump of a process that is stopped meanwhile, in the kernel's form: what the kernel would write if the process ended
// at this moment, but for the registers that it shows to nobody.
import Glibc
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

enum WrittenCore {
  private struct Mapping {
    var range: Range<UInt>
    var isReadable, isWritable: Bool
    /// It has pages of its own: was written to, or was by the loader, which has taken the right away since.
    var isChanged = false
    var offset: UInt
    var path: String?
  }

  /// Writes it; how many bytes there are.
  @discardableResult
  static func write(_ process: Int32, to file: String) throws -> Int {
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    let deadline = Clock.uptime() + 60_000_000_000
    while !OtherThread.all(of: process).allSatisfy({ $0.state == "T" }), Clock.uptime() < deadline { Parking.yield() }
    let mappings = try mappings(of: process), memory = OtherMemory(of: process)
    var loads: [(address: UInt, bytes: [UInt8])] = []
    for mapping in mappings where mapping.isReadable {
      // As the kernel does: what was written to, and of files of code the first page.
      let isWhole = mapping.path == nil || mapping.isWritable || mapping.isChanged
      guard isWhole || mapping.offset == 0 else { continue }
      let end = isWhole ? mapping.range.upperBound : mapping.range.lowerBound + 4096
      loads += pieces(of: mapping.range.lowerBound..<end, memory)
    }
    let notes = try notes(process, mappings)
    try PrivateFile.replace(file) { write in _ = write(elf(notes, loads)) }
    return Int(try FileBytes(RawString(file)).size)
  }

  /// What is there of a range, without most of its zeros: a core has holes. A piece of zeros behind one that has
  /// something stays, since what begins in that may end here.
  private static func pieces(of range: Range<UInt>, _ memory: OtherMemory) -> [(address: UInt, bytes: [UInt8])] {
    var found: [(address: UInt, bytes: [UInt8])] = [], isBehind = false
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 16) {
      var bytes = [UInt8](repeating: 0, count: Int(min(1 << 16, range.upperBound - start)))
      let isThere = (try? bytes.withUnsafeMutableBytes { try memory.read(start, into: $0) }) != nil
      let hasSomething = isThere && bytes.contains { $0 != 0 }
      defer { isBehind = hasSomething }
      guard isThere, range.count <= 1 << 20 || hasSomething || isBehind else { continue }
      if let last = found.last, last.address + UInt(last.bytes.count) == start {
        found[found.count - 1].bytes += bytes
      } else {
        found.append((start, bytes))
      }
    }
    return found
  }

  private static func mappings(of process: Int32) throws -> [Mapping] {
    let text = try FileBytes(RawString("/proc/\(process)/smaps")).read(at: 0, count: 64 << 20)
    return text.split(separator: UInt8(ascii: "\n")).reduce(into: []) { found, line in
      let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      if words[0] == "Anonymous:", words.count > 1, words[1] != "0", !found.isEmpty { found[found.count - 1].isChanged = true }
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard words.count >= 5, ends.count == 2 else { return }
      let path = words.count == 6 ? String(words[5].drop { $0 == " " }) : ""
      found.append(
        Mapping(
          range: ends[0]..<ends[1], isReadable: words[1].hasPrefix("r"), isWritable: words[1].dropFirst().hasPrefix("w"),
          offset: UInt(words[2], radix: 16) ?? 0, path: path.hasPrefix("/") ? path : nil))
    }
  }

  // MARK: notes

  private static func notes(_ process: Int32, _ mappings: [Mapping]) throws -> [UInt8] {
    var all: [UInt8] = []
    for thread in OtherThread.all(of: process) {
      var status = [UInt8](repeating: 0, count: 336)
      status.put(UInt64(thread.innerID), 4, at: 32)
      if let line = try? FileBytes(RawString("/proc/\(process)/task/\(thread.id)/syscall")).read(at: 0, count: 400) {
        put(line, in: &status)
      }
      all += note(1, status)
      if thread.id == process { all += note(3, information(process, thread.name)) }
    }
    all += note(6, try FileBytes(RawString("/proc/\(process)/auxv")).read(at: 0, count: 4096))
    let files = mappings.filter { $0.path != nil }
    var list: [UInt8] = []
    for number in [UInt(files.count), 4096] { list.append(UInt64(number), 8) }
    for file in files {
      for number in [file.range.lowerBound, file.range.upperBound, file.offset / 4096] { list.append(UInt64(number), 8) }
    }
    for file in files { list += Array((file.path ?? "").utf8) + [0] }
    return all + note(0x4649_4C45, list)
  }

  /// The call's number and arguments, the stack pointer and the place, where the kernel has them on this machine.
  private static func put(_ line: [UInt8], in status: inout [UInt8]) {
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let values = words.dropFirst().map { UInt64($0.dropFirst(2), radix: 16) ?? 0 }
    guard values.count == 8, let number = Int64(words[0]) else { return }
    #if arch(x86_64)
    for (index, value) in zip([14, 13, 12, 7, 9, 8, 19, 16], values) { status.put(value, 8, at: 112 + index * 8) }
    status.put(UInt64(bitPattern: number), 8, at: 112 + 15 * 8)
    #else
    for (index, value) in zip([0, 1, 2, 3, 4, 5, 31, 32], values) { status.put(value, 8, at: 112 + index * 8) }
    status.put(UInt64(bitPattern: number), 8, at: 112 + 8 * 8)
    #endif
  }

  private static func information(_ process: Int32, _ name: String) -> [UInt8] {
    var all = [UInt8](repeating: 0, count: 136)
    all.put(UInt64(process), 4, at: 24)
    for (index, byte) in name.utf8.prefix(15).enumerated() { all[40 + index] = byte }
    return all
  }

  private static func note(_ type: UInt32, _ contents: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    for number in [5, UInt64(contents.count), UInt64(type)] { all.append(number, 4) }
    return all + Array("CORE\0\0\0\0".utf8) + contents + [UInt8](repeating: 0, count: (4 - contents.count % 4) % 4)
  }

  // MARK: the file

  private static func elf(_ notes: [UInt8], _ loads: [(address: UInt, bytes: [UInt8])]) -> [UInt8] {
    #if arch(x86_64)
    let machine = 62
    #else
    let machine = 183
    #endif
    var head = [UInt8](repeating: 0, count: 64)
    head.replaceSubrange(0..<7, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
    head.put(4, 2, at: 16)
    head.put(UInt64(machine), 2, at: 18)
    head.put(1, 4, at: 20)
    head.put(64, 8, at: 32)
    head.put(64, 2, at: 52)
    head.put(56, 2, at: 54)
    head.put(UInt64(loads.count + 1), 2, at: 56)
    var offset = UInt64(64 + 56 * (loads.count + 1)), table: [UInt8] = []
    func entry(_ type: UInt64, _ address: UInt64, _ size: Int) {
      var entry = [UInt8](repeating: 0, count: 56)
      entry.put(type, 4, at: 0)
      for (place, value) in [(8, offset), (16, address), (32, UInt64(size)), (40, UInt64(size))] {
        entry.put(value, 8, at: place)
      }
      table += entry
      offset += UInt64(size)
    }
    entry(4, 0, notes.count)
    for load in loads { entry(1, UInt64(load.address), load.bytes.count) }
    return head + table + notes + loads.flatMap(\.bytes)
  }
}

extension Array<UInt8> {
  fileprivate mutating func put(_ value: UInt64, _ width: Int, at place: Int) {
    for index in 0..<width { self[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }
  }
  fileprivate mutating func append(_ value: UInt64, _ width: Int) {
    self += [UInt8](repeating: 0, count: width)
    put(value, width, at: count - width)
  }
}
