// EditedFile.swift: a whole file in memory that readers open by a path, and that is damaged and mended in place: an
// input costs what it changes, not what the file is long.
import Glibc
import SignalboxSystem

final class EditedFile {
  /// By which a reader opens it.
  let path: String
  /// How long it is when it is whole.
  let size: Int
  /// Where words stand that are not zero.
  let words: [Int]
  private let whole: [UInt8]
  private let memory: SharedMemory
  private var changed: [Range<Int>] = []
  private var end: Int

  init(_ whole: [UInt8]) {
    guard let memory = try? SharedMemory(size: whole.count) else { stop("there is no memory for a file", 2) }
    (self.whole, self.memory, size, end) = (whole, memory, whole.count, whole.count)
    path = "/proc/self/fd/\(memory.descriptor)"
    words = stride(from: 0, to: whole.count, by: 8).filter { place in
      whole[place..<min(place + 8, whole.count)].contains { $0 != 0 }
    }
    UnsafeMutableRawBufferPointer(start: memory.start, count: size).copyBytes(from: whole)
  }

  func byte(at place: Int) -> UInt8 {
    place < size ? memory.start.load(fromByteOffset: place, as: UInt8.self) : 0
  }

  /// Puts bytes there, as far as the file goes.
  func put(_ bytes: [UInt8], at place: Int) {
    let range = (place..<place + bytes.count).clamped(to: 0..<size)
    guard !range.isEmpty else { return }
    UnsafeMutableRawBufferPointer(rebasing: room[range]).copyBytes(from: bytes.prefix(range.count))
    changed.append(range)
  }

  /// Ends the file there, until it is mended.
  func cut(at place: Int) {
    end = place
    _ = ftruncate(memory.descriptor, place)
  }

  /// Makes it whole again.
  func mend() {
    if end < size {
      _ = ftruncate(memory.descriptor, size)
      changed.append(end..<size)
      end = size
    }
    for range in changed { UnsafeMutableRawBufferPointer(rebasing: room[range]).copyBytes(from: whole[range]) }
    changed.removeAll(keepingCapacity: true)
  }

  private var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: memory.start, count: size) }
}

/// A file that holds the input as it is.
final class PlainFile {
  let path: String
  private let memory: SharedMemory

  init() {
    guard let memory = try? SharedMemory(size: 1) else { stop("there is no memory for a file", 2) }
    self.memory = memory
    path = "/proc/self/fd/\(memory.descriptor)"
  }

  func hold(_ bytes: [UInt8]) {
    _ = ftruncate(memory.descriptor, 0)
    _ = bytes.withUnsafeBytes { pwrite(memory.descriptor, $0.baseAddress, $0.count, 0) }
  }
}

extension Array<UInt8> {
  /// Puts a number of that many bytes there, the lowest first; the array grows if need be.
  mutating func put(_ value: UInt64, _ width: Int = 8, at place: Int) {
    if count < place + width { self += [UInt8](repeating: 0, count: place + width - count) }
    for index in 0..<width { self[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }
  }
  mutating func put(_ bytes: [UInt8], at place: Int) {
    for (index, byte) in bytes.enumerated() { put(UInt64(byte), 1, at: place + index) }
  }
}
