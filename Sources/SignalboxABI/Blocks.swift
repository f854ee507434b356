// Blocks.swift: blocks as work, and work items, which C has as blocks made by dispatch_block_create.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

/// What a block given to a function is: plain, or the block of a work item.
enum Block {
  /// Calls a block that lives for the length of the call.
  @inline(__always) static func call(_ block: UnsafeMutableRawPointer) {
    CCall.call(sb_abi_block_function(block), block)
  }

  /// The block of an apply.
  @inline(__always) static func call(_ block: UnsafeMutableRawPointer, _ index: Int) {
    CCall.call(sb_abi_block_function(block), block, UInt(bitPattern: index))
  }

  /// A copy of the block as work: it is released after it has run.
  @inline(__always) static func work(_ block: UnsafeMutableRawPointer) -> CWork {
    CWork(sb_abi_block_consume, sb_abi_block_copy(block))
  }

  /// The work item that the block stands for.
  @inline(__always) static func item(_ block: UnsafeMutableRawPointer) -> Unmanaged<DispatchWorkItem>? {
    sb_abi_block_item(block).map { .fromOpaque($0) }
  }

  /// The address that stands for the work item's run (SanitizedOrder).
  static func order(_ block: UnsafeMutableRawPointer?) -> UInt {
    UInt(bitPattern: block.flatMap { sb_abi_block_item(UnsafeRawPointer($0)) })
  }

  /// The work item that the block must stand for.
  static func workItem(_ block: UnsafeMutableRawPointer?, _ function: StaticString) -> Unmanaged<DispatchWorkItem> {
    guard let item = item(block.present(function)) else {
      CFaceSupport.stop("\(function.cName) was given a block that dispatch_block_create did not make")
    }
    return item
  }
}

/// A copy of a block, released with this.
final class BlockCopy: @unchecked Sendable {
  // SAFETY of @unchecked: a block is called as often and where its maker asked for; the word never changes.
  private let block: UnsafeMutableRawPointer
  init(_ block: UnsafeMutableRawPointer) { self.block = sb_abi_block_copy(block) }
  deinit { sb_abi_block_release(block) }
  func call() { Block.call(block) }
  /// Recordings name the block's function, and not that of the closure that calls it.
  static let isKnown: Void = {
    let kind = unsafeBitCast(BlockCopy.self as AnyClass, to: UnsafeRawPointer.self)
    // release: pairs with the acquire in RecordedItem
    CFaceSupport.blockHolder.storeRelease(UInt64(UInt(bitPattern: kind)))
  }()
  /// The copy; it lives as long as this.
  var address: UnsafeMutableRawPointer { block }
}

private let knownFlags: UInt = 0x3F
private let noClass: UInt = 0x8

private func make(_ flags: UInt, _ qos: DispatchQoS, _ block: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard flags & ~knownFlags == 0 else { return nil }
  let copy = BlockCopy(block.present("dispatch_block_create"))
  _ = BlockCopy.isKnown
  let flags = DispatchWorkItemFlags(rawValue: flags)
  let item =
    SanitizedOrder.isWatched ? makeSanitized(qos, flags, copy) : DispatchWorkItem(qos: qos, flags: flags) { copy.call() }
  return sb_abi_block_for_item(
    Unmanaged.passRetained(item).toOpaque(),
    {
      SanitizedOrder.precede(UInt(bitPattern: $0))  // of a cancelled one there is no more than that it was submitted
      Unmanaged<DispatchWorkItem>.fromOpaque($0).lend { $0.perform() }
    },
    { Unmanaged<DispatchWorkItem>.fromOpaque($0).release() })
}

/// In the sanitizer's eyes, what waits for the item or follows it comes after it.
private func makeSanitized(_ qos: DispatchQoS, _ flags: DispatchWorkItemFlags, _ copy: BlockCopy) -> DispatchWorkItem {
  let order = ItemOrder()
  let item = DispatchWorkItem(qos: qos, flags: flags) {
    copy.call()
    SanitizedOrder.precede(order.address)
  }
  order.address = UInt(bitPattern: Unmanaged.passUnretained(item).toOpaque())
  return item
}

/// The address that stands for an item's run: its own.
private final class ItemOrder: @unchecked Sendable {
  // SAFETY of @unchecked: written once, before anybody has the item.
  var address: UInt = 0
}

/// The block as an object to be waited for, followed and cancelled; NULL for unknown flags. The caller releases it.
@c(dispatch_block_create)
public func dispatch_block_create(_ flags: UInt, _ block: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  make(flags, .unspecified, block)
}

/// Like `dispatch_block_create`, of a service class; NULL for unknown flags, for a class or rank that does not exist.
@c(dispatch_block_create_with_qos_class)
public func dispatch_block_create_with_qos_class(
  _ flags: UInt, _ qos_class: UInt32, _ relative_priority: Int32, _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  guard let qos = DispatchQoS(qos_class, relative_priority) else { return nil }
  return qos.qosClass == .unspecified ? make(flags | noClass, qos, block) : make(flags, qos, block)
}

/// Like `dispatch_block_create`: Linux has no vouchers.
@c(dispatch_block_create_with_voucher)
public func dispatch_block_create_with_voucher(
  _ flags: UInt, _ voucher: UnsafeMutableRawPointer?, _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? { make(flags, .unspecified, block) }

/// Like `dispatch_block_create_with_qos_class`: Linux has no vouchers.
@c(dispatch_block_create_with_voucher_and_qos_class)
public func dispatch_block_create_with_voucher_and_qos_class(
  _ flags: UInt, _ voucher: UnsafeMutableRawPointer?, _ qos_class: UInt32, _ relative_priority: Int32,
  _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? { dispatch_block_create_with_qos_class(flags, qos_class, relative_priority, block) }

/// The maker behind the others, which checks nothing: unknown flags and the kernel's form of a class are ignored.
@c(_dispatch_block_create)
public func _dispatch_block_create(
  _ flags: UInt, _ voucher: UnsafeMutableRawPointer?, _ priority: UInt, _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? { make(flags & knownFlags, .unspecified, block) }

/// Runs the block now: what flags would change is known only to an object, and none is made.
@c(dispatch_block_perform)
public func dispatch_block_perform(_ flags: UInt, _ block: UnsafeMutableRawPointer?) { Block.call(block.present(#function)) }

/// Waits for the first run to end: 0, or -1 when the time is up before.
@c(dispatch_block_wait)
public func dispatch_block_wait(_ block: UnsafeMutableRawPointer?, _ timeout: UInt64) -> Int {
  let result = Block.workItem(block, #function).lend { $0.wait(Deadline(timeout)) }.number
  if SanitizedOrder.isWatched, result == 0 { SanitizedOrder.follow(Block.order(block)) }
  return result
}

/// Submits `notification` once the block has run; at once when it already has.
@c(dispatch_block_notify)
public func dispatch_block_notify(_ block: UnsafeMutableRawPointer?, _ queue: Handle?, _ notification: UnsafeMutableRawPointer?)
{
  let (queue, notification) = (queue.queue(), notification.present(#function))
  Block.workItem(block, #function).hold { item in
    queue.lend { queue in
      if let next = Block.item(notification) {
        next.lend { item.notify(queue: queue, execute: $0.inSanitizedOrder(on: queue, after: Block.order(block))) }
      } else {
        item.notify(queue: queue, Block.work(notification).inSanitizedOrder(on: queue, after: Block.order(block)))
      }
    }
  }
}

/// Keeps runs that have not begun from running the block.
@c(dispatch_block_cancel)
public func dispatch_block_cancel(_ block: UnsafeMutableRawPointer?) { Block.workItem(block, #function).lend { $0.cancel() } }

/// 1 if the block was cancelled, else 0.
@c(dispatch_block_testcancel)
public func dispatch_block_testcancel(_ block: UnsafeMutableRawPointer?) -> Int {
  Block.workItem(block, #function).lend { $0.isCancelled ? 1 : 0 }
}
