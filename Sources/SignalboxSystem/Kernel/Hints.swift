// Hints.swift: hints to the processor about what comes next. Alone: they change nothing but how long it takes.
public import CSignalbox

/// Tells the processor that the caller will soon use the memory at `address`; any address will do.
@inlinable @inline(__always) public func prefetchMemory(_ address: UnsafeRawPointer) { sb_prefetch(address) }

/// Like `prefetchMemory`, where the caller will write.
@inlinable @inline(__always) public func prefetchMemoryToWrite(_ address: UnsafeRawPointer) { sb_prefetch_to_write(address) }

/// Like `prefetchMemoryToWrite`, for a whole object: as many lines as the largest of those that wait in lists have.
@inlinable @inline(__always) public func prefetchObjectToWrite(_ address: UnsafeRawPointer) {
  for line in 0..<9 { prefetchMemoryToWrite(address + 64 * line) }
}

/// Tells the processor that the caller spins.
@inlinable @inline(__always) public func spinPause() { sb_pause() }
