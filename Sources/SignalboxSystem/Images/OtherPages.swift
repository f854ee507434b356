// OtherPages.swift: which memory another process has written: the parts that are its own, and of these the pages that
// are there. Others are not read: the kernel would make a page for each.
import Glibc

/// Pages of another process.
package enum OtherPages {
  /// A bit of each page's word in /proc/N/pagemap: it is in memory, or in the swap.
  private static let isThere: UInt64 = 3 << 62
  /// The words of no more pages are read at once.
  private static let most = 1 << 16

  /// The parts of a process's memory that it may write and shares with no other, as far as they are there, in the order
  /// of their addresses.
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
      return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
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
