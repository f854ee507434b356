// DataRopeRole.swift: DispatchData in a play, beside a plain array of the same bytes.
import Glibc
import Signalbox
@_spi(Formats) import SignalboxDispatch

final class DataRopeRole: Role {
  private struct Pair {
    var data: DispatchData
    var bytes: [UInt8]
  }
  private let stage: Stage
  private var pairs = [Pair(data: .empty, bytes: [])]
  private let lent = Tally(), returned = Tally()

  init(_ stage: Stage) { self.stage = stage }

  private func check(_ fact: Bool, _ what: @autoclosure () -> String) { stage.faults.check(fact, "data: \(what())") }

  func step(_ script: inout Script) {
    let index = script.pick(pairs.count)
    switch script.pick(10) {
    case 0: add(copied(&script))
    case 1: add(lentOut(&script))
    case 2, 3: append(index, script.pick(pairs.count))
    case 4: add(part(pairs[index], &script))
    case 5: checkRegions(pairs[index], &script)
    case 6: checkCopies(pairs[index], &script)
    case 7: checkFormats(pairs[index], &script)
    case 8: checkWalk(pairs[index], &script)
    default: if pairs.count > 1 { pairs.remove(at: index) }
    }
  }

  private func add(_ pair: Pair) {
    check(pair.data.count == pair.bytes.count, "\(pair.data.count) bytes instead of \(pair.bytes.count)")
    if pairs.count < 12 { pairs.append(pair) } else { pairs[0] = pair }
  }

  // MARK: making

  private func fresh(_ script: inout Script) -> [UInt8] {
    let first = script.byte()
    return pattern(first..<first + script.size() % 3_000, first)
  }

  private func copied(_ script: inout Script) -> Pair {
    let bytes = fresh(&script)
    return Pair(data: bytes.withUnsafeBytes { DispatchData(bytes: $0) }, bytes: bytes)
  }

  private func lentOut(_ script: inout Script) -> Pair {
    let bytes = fresh(&script)
    let isMapped = script.once(in: 3) && !bytes.isEmpty
    let start =
      isMapped
      ? mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)! : malloc(max(1, bytes.count))!
    start.copyMemory(from: bytes, byteCount: bytes.count)
    let buffer = UnsafeRawBufferPointer(start: start, count: bytes.count)
    let way: DispatchData.Deallocator =
      isMapped ? .unmap : script.once(in: 2) ? .free : custom(start, script.pick(stage.queues))
    return Pair(data: DispatchData(bytesNoCopy: buffer, deallocator: way), bytes: bytes)
  }

  private func custom(_ start: UnsafeMutableRawPointer, _ queue: DispatchQueue) -> DispatchData.Deallocator {
    lent.add()
    let token = Token(stage.living)
    // SAFETY: the bytes belong to the data alone, which gives them back once.
    nonisolated(unsafe) let start = start
    return .custom(queue) { [returned] in
      withExtendedLifetime(token) {
        free(start)
        returned.add()
      }
    }
  }

  private func append(_ index: Int, _ other: Int) {
    guard pairs[index].bytes.count + pairs[other].bytes.count < 100_000 else { return }
    let added = pairs[other]
    pairs[index].data.append(added.data)
    pairs[index].bytes += added.bytes
    check(pairs[index].data.count == pairs[index].bytes.count, "appending gives another count")
  }

  private func part(_ pair: Pair, _ script: inout Script) -> Pair {
    let start = pair.bytes.isEmpty ? 0 : (script.byte() << 8 | script.byte()) % (pair.bytes.count + 10)
    let end = start + script.size()
    let (low, high) = (min(start, pair.bytes.count), min(end, pair.bytes.count))
    return Pair(data: pair.data.subdata(in: start..<end), bytes: Array(pair.bytes[low..<high]))
  }

  // MARK: comparing

  private func checkRegions(_ pair: Pair, _ script: inout Script) {
    let location = (script.byte() << 8 | script.byte()) % (pair.bytes.count + 2)
    let (region, offset) = pair.data.region(location: location)
    if location >= pair.bytes.count {
      return check(region.isEmpty && offset == pair.bytes.count, "a region behind the end")
    }
    let isAround = offset <= location && location < offset + region.count
    check(isAround && Array(region) == Array(pair.bytes[offset..<offset + region.count]), "another region at \(location)")
  }

  private func checkCopies(_ pair: Pair, _ script: inout Script) {
    var buffer = [UInt8](repeating: 0, count: pair.bytes.count)
    buffer.withUnsafeMutableBytes { pair.data.copyBytes(to: $0, count: $0.count) }
    check(buffer == pair.bytes, "copying gives other bytes")
    guard !pair.bytes.isEmpty else { return }
    let index = (script.byte() << 8 | script.byte()) % pair.bytes.count
    check(pair.data[index] == pair.bytes[index], "another byte at \(index)")
    let range = index..<min(pair.bytes.count, index + script.size())
    var part = [UInt8](repeating: 0, count: range.count)
    let copied = part.withUnsafeMutableBufferPointer { pair.data.copyBytes(to: $0, from: range) }
    check(copied == range.count && part == Array(pair.bytes[range]), "copying \(range) gives other bytes")
    check(Array(pair.data[range]) == part, "the slice \(range) has other bytes")
  }

  private func checkWalk(_ pair: Pair, _ script: inout Script) {
    let limit = script.pick(5)
    var (walked, regions): ([UInt8], Int) = ([], 0)
    pair.data.enumerateBytes { buffer, offset, stop in
      check(offset == walked.count, "a region at \(offset) after \(walked.count) bytes")
      walked += buffer
      regions += 1
      stop = regions > limit && limit > 0
    }
    check(walked == Array(pair.bytes.prefix(walked.count)), "walking gives other bytes")
    check(walked.count == pair.bytes.count || regions == limit + 1, "the walk ends early")
    check(Array(pair.data) == pair.bytes, "iterating gives other bytes")
    if pair.bytes.isEmpty { return }
    let same = pair.data.withUnsafeBytes { (start: UnsafePointer<UInt8>) in memcmp(start, pair.bytes, pair.bytes.count) == 0 }
    check(same, "the bytes in a row are others")
  }

  private func checkFormats(_ pair: Pair, _ script: inout Script) {
    let format = script.pick([DataFormat.base32, .base32hex, .base64])
    let letters = DataFormat.transform(pair.data, from: .none, to: format)
    let back = letters.flatMap { DataFormat.transform($0, from: format, to: .none) }
    check(back.map { Array($0) } == pair.bytes, "\(format) and back gives other bytes")
    // Whatever the bytes: an answer or nil.
    let (from, to) = (script.pick(DataFormat.allCases), script.pick(DataFormat.allCases))
    _ = DataFormat.transform(pair.data, from: from, to: to)
  }

  // MARK: the end

  func finish() {
    for pair in pairs { check(Array(pair.data) == pair.bytes, "other bytes in the end") }
    pairs = []
  }
  func isSettled() -> Bool { returned.value >= lent.value }
  func judge() { check(returned.value == lent.value, "\(returned.value) buffers given back of \(lent.value)") }
  var summary: String { "data: \(returned.value) buffers given back of \(lent.value)" }
  var objects: [AnyObject] { [] }
}
