// CopiedMemory.swift: the memory of a process as the kernel copies it for a reader, this process's own among them: what
// is not there is nil, and nothing faults.
import SignalboxSystem

/// Memory of a running process. Allocates.
package struct CopiedMemory: ProcessMemory {
  private let other: OtherMemory

  /// The memory of a process.
  package init(_ other: OtherMemory) { self.other = other }

  /// The bytes from the address on, copied at once.
  package func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    guard count > 0 else { return [] }
    return try? [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      try other.read(
        UInt(address.bits), into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<count])))
      filled = count
    }
  }
}
