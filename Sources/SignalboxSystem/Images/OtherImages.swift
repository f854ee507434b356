// OtherImages.swift: the map of another process's memory: which files it has loaded, and which pages it has written.
// This process's own images are MappedImages.swift.
import Glibc

/// The programs, libraries and other files of other processes.
public enum OtherImages {
  /// The files that a process has mapped to share what it writes there, as paths that lead to them from here; none where the kernel does
  /// not show them.
  public static func sharedFiles(process: Int32) -> [RawString] {
    let maps = ProcessFiles.contents("maps", of: process, most: 4 << 20)
    var found: [RawString] = []
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
      guard words.count == 6, words[1].last == UInt8(ascii: "s"), let slash = words[5].firstIndex(of: UInt8(ascii: "/")) else {
        continue
      }
      // In a container the path leads elsewhere from here.
      let path = RawString("/proc/\(process)/root") + RawString(words[5][slash...])
      if !found.contains(path) { found.append(path) }
    }
    return found
  }

  /// Whether the program of a process, or a library in it that may be Signalbox's, contains `word`. Reads files: some milliseconds.
  public static func contain(_ word: String, process: Int32) -> Bool {
    let maps = ProcessFiles.contents("maps", of: process, most: 4 << 20)
    let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
    let libraries = Set(lines.compactMap { MappedImages.parse(String($0) + "\n")?.path }).filter { path in
      path.holds("ignalbox") || path.holds("libdispatch")
    }
    return (["/proc/\(process)/exe"] + libraries).contains { path in
      (try? FileBytes(RawString(path)))?.contains(Array(word.utf8)) == true
    }
  }
}

extension OtherImages {
  /// A part of a file that a process has mapped.
  package struct Part: Sendable, Equatable {
    package var range: Range<ReadNumber>
    /// How far into the file it begins.
    package var offset: ReadNumber
    package var path: String

    /// A part.
    package init(range: Range<ReadNumber>, offset: ReadNumber, path: String) {
      (self.range, self.offset, self.path) = (range, offset, path)
    }
  }

  /// The parts of files that a process has mapped, in the order of their addresses; none where the kernel does not show them.
  package static func parts(process: Int32) -> [Part] {
    let maps = ProcessFiles.contents("maps", of: process, most: 64 << 20)
    return maps.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard words.count == 6, let offset = UInt64(words[2], radix: 16) else { return nil }
      let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16).map { ReadNumber($0) } }
      let path = words[5].drop { $0 == " " }
      guard ends.count == 2, ends[0] < ends[1], path.hasPrefix("/") else { return nil }
      return Part(range: ends[0]..<ends[1], offset: ReadNumber(offset), path: String(path))
    }
  }
}

extension FileBytes {
  /// Whether the bytes stand somewhere in the file.
  fileprivate func contains(_ word: [UInt8]) -> Bool {
    var offset: UInt64 = 0
    let size = 1 << 20
    while true {
      let piece = read(at: offset, count: size)
      if piece.withUnsafeBytes({ Self.contains($0, word) }) { return true }
      guard piece.count == size else { return false }
      offset += UInt64(size - word.count)
    }
  }

  private static func contains(_ bytes: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
    guard bytes.count >= word.count, let first = word.first else { return false }
    var place = 0
    while place <= bytes.count - word.count,
      let found = memchr(bytes.start + place, Int32(first), bytes.count - word.count + 1 - place)
    {
      if memcmp(found, word, word.count) == 0 { return true }
      place = UnsafeRawPointer(found) - bytes.start + 1
    }
    return false
  }
}

// MARK: the pages that it has written

// The parts that are its own, and of these the pages that are there. Others are not read: the kernel would make a page
// for each.

/// Pages of another process.
package enum OtherPages {
  /// A bit of each page's word in /proc/N/pagemap: it is in memory, or in the swap.
  private static let isThere: UInt64 = 3 << 62
  /// The words of no more pages are read at once.
  private static let most = 1 << 16
  /// A part of a terabyte or more is a sanitizer's, which notes there what the program does with its memory, and has
  /// next to nothing in it. To ask for each of its pages would take a minute.
  private static let mostBytes: ReadNumber = 1 << 40

  /// The parts of a process's memory that it may write and shares with no other, as far as they are there, in the order
  /// of their addresses. Those of a terabyte or more are left out.
  package static func written(process: Int32) -> [Range<ReadNumber>] {
    let thread = ProcessFiles.livingThread(of: process)
    let map = try? FileBytes(RawString("/proc/\(process)/task/\(thread)/pagemap"))
    return parts(process: process).flatMap { part in map.map { present(part, $0) } ?? [part] }
  }

  private static func parts(process: Int32) -> [Range<ReadNumber>] {
    let maps = ProcessFiles.contents("maps", of: process, most: 64 << 20)
    return maps.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard words.count >= 5, words[1].hasPrefix("rw"), words[1].hasSuffix("p") else { return nil }
      let path = words.count == 6 ? words[5].drop { $0 == " " } : ""
      if path.hasPrefix("/dev/") || path.hasPrefix("[v") { return nil }
      let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16).map { ReadNumber($0) } }
      guard ends.count == 2, ends[0] < ends[1], ends[1] - ends[0] < mostBytes else { return nil }
      return ends[0]..<ends[1]
    }
  }

  /// The pages of a part that are there.
  private static func present(_ part: Range<ReadNumber>, _ map: FileBytes) -> [Range<ReadNumber>] {
    let page = UInt64(Threads.pageSize), first = part.lowerBound.bits / page, end = part.upperBound.bits / page
    var found: [Range<ReadNumber>] = [], start: UInt64?, here = first
    while here < end {
      let count = min(end - here, UInt64(most)), words = map.read(at: here * 8, count: Int(count) * 8)
      // The kernel does not say: all of it may be there.
      guard words.count == Int(count) * 8 else { return [part] }
      words.withUnsafeBytes { words in
        for index in 0..<Int(count) {
          let word = words.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self), place = here + UInt64(index)
          if word & isThere != 0 {
            start = start ?? place
          } else if let from = start {
            found.append(ReadNumber(from * page)..<ReadNumber(place * page))
            start = nil
          }
        }
      }
      here += count
    }
    if let from = start { found.append(ReadNumber(from * page)..<ReadNumber(end * page)) }
    return found
  }
}
