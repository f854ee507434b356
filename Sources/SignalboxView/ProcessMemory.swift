// ProcessMemory.swift: the memory of a process that is read from outside, a running one or what a core dump has of one;
// and as the kernel copies it for a reader.
import SignalboxSystem

/// Memory that is not the reader's own.
package protocol ProcessMemory: Sendable {
  /// The `count` bytes from the address on; nil where not all of them can be read.
  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]?
}

extension ProcessMemory {
  package func word64(_ address: ReadNumber) -> ReadNumber? {
    guard address != 0, address % 8 == 0 else { return nil }
    return bytes(address, 8).map { $0.word64(at: 0) }
  }

  package func word32(_ address: ReadNumber) -> ReadNumber? {
    guard address != 0, address % 4 == 0 else { return nil }
    return bytes(address, 4).map { $0.word32(at: 0) }
  }

  /// `count` words of 64 bits, copied at once.
  package func words(_ address: ReadNumber, _ count: Int) -> [ReadNumber]? {
    guard address != 0, address % 8 == 0, (0...mostWords).contains(count), let all = bytes(address, count * 8) else {
      return nil
    }
    return all.withUnsafeBytes { bytes in
      (0..<count).map { ReadNumber(bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
    }
  }

  /// More words at once nothing has.
  private var mostWords: Int { 1 << 20 }
}

extension Array<UInt8> {
  // The machines of Linux and Swift have the low byte first. Beyond the end there are zeros.
  package func word64(at place: Int) -> ReadNumber { number(at: place, 8) }
  package func word32(at place: Int) -> ReadNumber { number(at: place, 4) }
  package func word16(at place: Int) -> ReadNumber { number(at: place, 2) }

  private func number(at place: Int, _ width: Int) -> ReadNumber {
    guard place >= 0, place <= count - width else { return 0 }
    return ReadNumber(self[place..<place + width].reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}

// MARK: a running process's, as the kernel copies it

// This process's own is among them. What is not there is nil, and nothing faults.

/// Memory of a running process. Allocates.
package struct CopiedMemory: ProcessMemory {
  private let other: OtherMemory

  /// The memory of a process.
  package init(_ other: OtherMemory) { self.other = other }

  /// The bytes from the address on, copied at once.
  package func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    guard count > 0 else { return [] }
    return try? [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let room = UnsafeMutableBufferPointer(rebasing: buffer[..<count])
      do { try other.read(UInt(address.bits), into: UnsafeMutableRawBufferPointer(room)) } catch {
        // A part may have been copied, which a process that reads itself would find in freed memory.
        room.initialize(repeating: 0)
        throw error
      }
      filled = count
    }
  }
}
