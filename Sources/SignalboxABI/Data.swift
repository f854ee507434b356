// Data.swift: data objects, and bringing them from one format into another. Behind a dispatch_data_t is a DataNode; the
// address of _dispatch_data_empty stands for no bytes.
import CSignalboxABI
@_spi(Formats) import SignalboxDispatch
import SignalboxSystem

extension Optional where Wrapped == UnsafeMutableRawPointer {
  /// The data, lent for the call; nil for no bytes.
  @inline(__always) func data(_ function: StaticString = #function) -> Unmanaged<DataNode>? {
    let raw = present(function)
    return raw == sb_abi_data_empty() ? nil : .fromOpaque(raw)
  }

  /// The data as a value.
  func dispatchData(_ function: StaticString = #function) -> DispatchData {
    DispatchData(data(function)?.takeUnretainedValue())
  }
}

extension DispatchData {
  /// As C gets it: the caller's reference, +1; no bytes need none.
  consuming func created() -> Handle { DataNode.handOver(node).created }
}

extension Unmanaged<DataNode>? {
  /// As C gets it: the caller's reference, +1, which this is; no bytes need none.
  @inline(__always) var created: Handle { self?.toOpaque() ?? sb_abi_data_empty() }
}

// MARK: making data

/// Data of `size` bytes: a copy without a destructor, else the bytes where they are. `queue` is where the destructor and a
/// finalizer run; NULL means the default global queue. No bytes are always the same constant: their buffer is given back now.
@c(dispatch_data_create)
public func dispatch_data_create(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: Handle?, _ destructor: UnsafeMutableRawPointer?
) -> Handle? {
  make(buffer, size, queue, destructor) { CWork(sb_abi_block_consume, sb_abi_block_copy($0)) }
}

/// Like `dispatch_data_create`; the destructor is called with the buffer.
@c(dispatch_data_create_f)
public func dispatch_data_create_f(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: Handle?, _ destructor: UnsafeMutableRawPointer?
) -> Handle? {
  make(buffer, size, queue, destructor) {
    CWork(address: $0, UnsafeMutableRawPointer(mutating: buffer))
  }
}

private func make(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: Handle?, _ destructor: UnsafeMutableRawPointer?,
  _ work: (UnsafeMutableRawPointer) -> CWork
) -> Handle {
  let target = queue.map { _ in queue.queue().takeUnretainedValue() }
  let kind = destructor.map { sb_abi_destructor($0) }
  if let destructor, kind == sb_abi_destructor_own {
    return DataNode.handOver(.region(buffer, size, .giver(DataDestructor(target, work(destructor))))).created
  }
  let node =
    switch kind {
    case sb_abi_destructor_free: DataNode.region(buffer, size, .heap)
    case sb_abi_destructor_munmap: DataNode.region(buffer, size, .mapping)
    case sb_abi_destructor_none: DataNode.region(buffer, size, .nobody)
    default: DataNode.copy(buffer, size)
    }
  if let target { node?.setTarget(queue: target) }
  return DataNode.handOver(node).created
}

/// Data of `size` bytes that the caller may write until it shows the data to others; `*bytes` is where they are.
@c(dispatch_data_create_alloc)
public func dispatch_data_create_alloc(
  _ size: Int, _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Handle? {
  let node: DataNode? = size > 0 ? DataNode.allocate(size) { _ in } : nil
  bytes?.pointee = UnsafeMutableRawPointer(mutating: node?.bytes)
  return DataNode.handOver(node).created
}

/// The bytes of `first`, then those of `second`; copies none.
@c(dispatch_data_create_concat)
public func dispatch_data_create_concat(_ first: Handle?, _ second: Handle?) -> Handle? {
  guard let left = first.data() else { return (second.data()?.retain()).created }
  guard let right = second.data() else { return left.retain().toOpaque() }
  return DataNode.join(Lent(left), Lent(right)).toOpaque()
}

/// At most `length` bytes from `offset` on; none if the offset lies behind the last. Copies none.
@c(dispatch_data_create_subrange)
public func dispatch_data_create_subrange(_ data: Handle?, _ offset: UInt, _ length: UInt) -> Handle? {
  data.data().flatMap { DataNode.part(Lent($0), offset: offset, length: length) }.created
}

/// The same bytes in one region, which `*buffer` and `*size` tell; the data itself if they are in one.
@c(dispatch_data_create_map)
public func dispatch_data_create_map(
  _ data: Handle?, _ buffer: UnsafeMutablePointer<UnsafeRawPointer?>?, _ size: UnsafeMutablePointer<Int>?
) -> Handle? {
  let flat = data.data()?.lend { $0.flatReference }
  buffer?.pointee = flat?.use { $0.bytes }
  size?.pointee = flat?.use { $0.count } ?? 0
  return (flat?.reference.retain()).created
}

// MARK: reading data

/// How many bytes there are.
@c(dispatch_data_get_size)
public func dispatch_data_get_size(_ data: Handle?) -> Int { data.data()?.lend { $0.count } ?? 0 }

/// The region that holds the byte at `location`, and where it begins; outside: no bytes, and the size.
@c(dispatch_data_copy_region)
public func dispatch_data_copy_region(
  _ data: Handle?, _ location: UInt, _ offset: UnsafeMutablePointer<Int>?
) -> Handle? {
  let node = data.data(), count = node?.lend { $0.count } ?? 0
  guard let node, location < UInt(count) else {
    offset?.pointee = count
    return sb_abi_data_empty()
  }
  return node.lend { node in
    let place = node.region(at: Int(location))
    offset?.pointee = place.offset
    return place.region.object.toOpaque()
  }
}

/// Calls the block with each region in order; ends when it returns false. Whether it never did.
@c(dispatch_data_apply)
public func dispatch_data_apply(_ data: Handle?, _ applier: UnsafeMutableRawPointer?) -> Bool {
  let block = applier.present(#function)
  return visit(data.data(), CWork(address: sb_abi_block_function(block), block))
}

/// Like `dispatch_data_apply`, by a function and its context.
@c(dispatch_data_apply_f)
public func dispatch_data_apply_f(
  _ data: Handle?, _ context: UnsafeMutableRawPointer?, _ applier: UnsafeMutableRawPointer?
) -> Bool { visit(data.data(), CWork(address: applier.present(#function), context)) }

/// One walk: a block is its own context.
private struct Walk {
  let data: Unmanaged<DataNode>
  let visitor: CWork
  var isComplete = false

  mutating func run() {
    // SAFETY: the header gives the function this type.
    let function = unsafeBitCast(visitor.address, to: DataVisitor.self)
    isComplete = data.lend { [visitor] in $0.forEachRegion(function, visitor.argument) }
  }
}

/// The whole walk is behind one barrier for exceptions: those of a visitor end there before anything is unwound.
private func visit(_ data: Unmanaged<DataNode>?, _ visitor: CWork) -> Bool {
  guard let data else { return true }
  var walk = Walk(data: data, visitor: visitor)
  withUnsafeMutablePointer(to: &walk) { CWork({ $0?.assumingMemoryBound(to: Walk.self).pointee.run() }, $0).run() }
  return walk.isComplete
}

// MARK: from one format into another

// The codes are SignalboxDispatch's.

/// The data in the format `output`; NULL if it is not in the format `input`, or if no way leads from there to `output`.
@c(dispatch_data_create_with_transform)
public func dispatch_data_create_with_transform(
  _ data: Handle?, _ input: UnsafeRawPointer?, _ output: UnsafeRawPointer?
) -> Handle? {
  DataFormat.transform(data.dispatchData(), from: format(input), to: format(output))?.created()
}

private func format(_ address: UnsafeRawPointer?) -> DataFormat {
  if let format = DataFormat(rawValue: Int(sb_abi_data_format(address))) { return format }
  CFaceSupport.stop(
    "dispatch_data_create_with_transform was given a format at \(address.map { "\($0)" } ?? "NULL") that is none of its own; "
      + "give one of the DISPATCH_DATA_FORMAT_TYPE constants")
}
