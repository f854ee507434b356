// Data.swift: bytes in regions of memory: making, joining, cutting, reading. Reading and writing files is Channels.swift.
//
// Any thread may call; nil data stops the program. No function but `dispatch_data_create` and `dispatch_data_create_map` copies
// bytes. Data is a value in Swift: nothing has to be retained or released.
import SignalboxDispatch

/// How the memory of data is freed: one of the `DISPATCH_DATA_DESTRUCTOR_` constants. In C it is a block; to free the memory
/// with a closure, use the form of `dispatch_data_create` that takes one.
public struct dispatch_data_destructor_t: Sendable, Equatable {
  enum Kind { case copied, freed, unmapped }
  let kind: Kind
}

/// Called for each region with data of its bytes, its offset, a pointer to its first byte and its size; returns whether to
/// continue.
public typealias dispatch_data_applier_t = (
  _ region: dispatch_data_t, _ offset: Int, _ buffer: UnsafeRawPointer, _ size: Int
) -> Bool

/// The bytes are copied; the caller keeps the buffer.
public let DISPATCH_DATA_DESTRUCTOR_DEFAULT = dispatch_data_destructor_t(kind: .copied)
/// The buffer is passed to `free`.
public let DISPATCH_DATA_DESTRUCTOR_FREE = dispatch_data_destructor_t(kind: .freed)
/// The buffer is passed to `munmap`.
public let DISPATCH_DATA_DESTRUCTOR_MUNMAP = dispatch_data_destructor_t(kind: .unmapped)

/// Data without bytes.
public let dispatch_data_empty = DispatchData.empty

// MARK: making

/// Creates data with the `size` bytes at `buffer`.
///
/// - Parameters:
///   - buffer: must not be changed any more unless it is copied; may be nil only for no bytes.
///   - size: the number of bytes.
///   - queue: where `destructor` runs; nil means the default global queue.
///   - destructor: frees the buffer. Runs once, when the last data that uses it is gone; at once for no bytes. Nil copies the
///     bytes.
/// - Complexity: O(1), O(size) where the bytes are copied.
@preconcurrency
public func dispatch_data_create(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: dispatch_queue_t?, _ destructor: dispatch_block_t?
) -> dispatch_data_t {
  let bytes = UnsafeRawBufferPointer(start: buffer, count: size)
  guard let destructor else { return DispatchData(bytes: bytes) }
  return DispatchData(bytesNoCopy: bytes, deallocator: .custom(queue, destructor))
}

/// Creates data with the `size` bytes at `buffer`; see `dispatch_data_create` with a closure. The queue is ignored.
public func dispatch_data_create(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: dispatch_queue_t?, _ destructor: dispatch_data_destructor_t
) -> dispatch_data_t {
  let bytes = UnsafeRawBufferPointer(start: buffer, count: size)
  switch destructor.kind {
  case .copied: return DispatchData(bytes: bytes)
  case .freed: return DispatchData(bytesNoCopy: bytes, deallocator: .free)
  case .unmapped: return DispatchData(bytesNoCopy: bytes, deallocator: .unmap)
  }
}

/// The bytes of `data1`, then those of `data2`.
public func dispatch_data_create_concat(_ data1: dispatch_data_t?, _ data2: dispatch_data_t?) -> dispatch_data_t {
  var data = present(data1)
  data.append(present(data2))
  return data
}

/// The bytes of `data` from `offset` on.
///
/// - Parameter data: the whole; nil stops the program.
/// - Parameter offset: in bytes from the beginning of `data`.
/// - Parameter length: the largest number of bytes; -1, the value of C's SIZE_MAX here, means all.
/// - Returns: no bytes for an offset past the end.
public func dispatch_data_create_subrange(_ data: dispatch_data_t?, _ offset: Int, _ length: Int) -> dispatch_data_t {
  let data = present(data)
  guard offset >= 0, offset < data.count else { return .empty }
  let rest = data.count - offset
  return data.subdata(in: offset..<offset + (length < 0 ? rest : min(length, rest)))
}

/// The same bytes in one region; copied only if they are in several.
///
/// - Parameters:
///   - data: the bytes to map; nil stops the program.
///   - buffer_ptr: set to the address of the bytes, which is valid as long as the returned data is kept.
///   - size_ptr: set to the number of bytes.
public func dispatch_data_create_map(
  _ data: dispatch_data_t?, _ buffer_ptr: UnsafeMutablePointer<UnsafeRawPointer?>?, _ size_ptr: UnsafeMutablePointer<Int>?
) -> dispatch_data_t {
  let flat = present(data).node?.flat
  buffer_ptr?.pointee = flat?.bytes
  size_ptr?.pointee = flat?.count ?? 0
  return DispatchData(flat)
}

// MARK: reading

/// The number of bytes.
public func dispatch_data_get_size(_ data: dispatch_data_t?) -> Int { present(data).count }

/// Calls `applier` for each region in order until it returns false. Returns false if it did, else true.
@discardableResult
public func dispatch_data_apply(_ data: dispatch_data_t?, _ applier: dispatch_data_applier_t) -> Bool {
  let data = present(data)
  var isComplete = true
  data.enumerateBytes { bytes, offset, stop in
    guard let start = bytes.baseAddress else { return }  // a region has bytes
    isComplete = applier(data.region(location: offset).data, offset, UnsafeRawPointer(start), bytes.count)
    stop = !isComplete
  }
  return isComplete
}

/// The region that holds the byte at `location`.
///
/// - Parameter data: the whole; nil stops the program.
/// - Parameter location: in bytes from the beginning of `data`.
/// - Parameter offset_ptr: set to the offset of the region in `data`.
/// - Returns: for a location outside the data: no bytes, with the size as offset.
public func dispatch_data_copy_region(
  _ data: dispatch_data_t?, _ location: Int, _ offset_ptr: UnsafeMutablePointer<Int>
) -> dispatch_data_t {
  let place = present(data).region(location: location)
  offset_ptr.pointee = place.offset
  return place.data
}
