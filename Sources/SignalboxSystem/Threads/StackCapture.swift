// StackCapture.swift: the return addresses of the calling thread, quickly: some nanoseconds for each, by rules of the unwind tables that
// are remembered (unwind.c). Other threads' are ThreadStack.swift.
public import CSignalbox

/// Capturing call stacks.
public enum StackCapture {
  /// Return addresses from the caller outward, at most `limit`.
  ///
  /// - Note: no allocation besides the array; ends early at code with neither unwind tables nor a frame pointer. Not symbolicated.
  public static func addresses(limit: Int = 64) -> [UInt] {
    var mark: UInt8 = 0
    return withUnsafePointer(to: &mark) { mark in
      [UInt](unsafeUninitializedCapacity: limit) { buffer, count in count = fill(buffer, above: UInt(bitPattern: mark)) }
    }
  }

  /// Return addresses from the caller outward, as many as fit; how many there are. Allocates nothing.
  public static func fill(_ buffer: UnsafeMutableBufferPointer<UInt>) -> Int {
    var mark: UInt8 = 0
    return withUnsafePointer(to: &mark) { fill(buffer, above: UInt(bitPattern: $0)) }
  }

  /// Return addresses from the function outward in whose frame `variable` lies, its own the first: whatever that function has
  /// called to get here is left out.
  @inline(__always)
  public static func fill(_ buffer: UnsafeMutableBufferPointer<UInt>, above variable: UInt) -> Int {
    let thread = sb_thread_get()
    // Of another stack than the thread's own, such as a fiber's, nothing is known.
    guard thread.pointee.stack_high != 0 || knowsBounds(thread), let base = buffer.baseAddress,
      variable >= thread.pointee.stack_low, variable < thread.pointee.stack_high
    else { return 0 }
    return Int(sb_walk(base, Int32(buffer.count), variable, thread.pointee.stack_high))
  }

  /// Like `fill(_:above:)`; under an unmodified program, functions of this library are left out.
  @inline(__always)
  public static func fillProgram(_ buffer: UnsafeMutableBufferPointer<UInt>, above variable: UInt) -> Int {
    let thread = sb_thread_get()
    guard thread.pointee.stack_high != 0 || knowsBounds(thread), let base = buffer.baseAddress,
      variable >= thread.pointee.stack_low, variable < thread.pointee.stack_high
    else { return 0 }
    return Int(sb_walk_program(base, Int32(buffer.count), variable, thread.pointee.stack_high))
  }

  /// What is remembered of a stack that was captured: memory of the calling thread's, zero at first.
  public typealias Memo = UnsafeMutablePointer<sb_walk_memo>

  /// Return addresses from the caller outward, where the calling thread has captured its stack before, at the same place or another,
  /// and kept what it got, at `known`: nil if that is still the stack. At most 64.
  ///
  /// Costs a few instructions for each address that is still there.
  @inline(__always)
  public static func refill(
    _ buffer: UnsafeMutableBufferPointer<UInt>, known: UnsafePointer<UInt64>, _ memo: Memo
  ) -> Int? {
    var mark: UInt8 = 0
    let thread = sb_thread_get()
    let here = withUnsafePointer(to: &mark) { UInt(bitPattern: $0) }
    guard thread.pointee.stack_high != 0 || knowsBounds(thread), let base = buffer.baseAddress,
      here >= thread.pointee.stack_low, here < thread.pointee.stack_high
    else { return 0 }
    let count = Int(sb_walk_again(memo, known, base, Int32(min(buffer.count, Int(SB_WAIT_STACK))), thread.pointee.stack_high))
    return count == 0 ? nil : count
  }

  @inline(never)
  private static func knowsBounds(_ thread: ThreadPointer) -> Bool {
    if thread.pointee.stack_high != 0 { return true }
    var low: UInt = 0, high: UInt = 0
    guard sb_stack_bounds(&low, &high) == 0 else { return false }
    thread.pointee.stack_low = low
    thread.pointee.stack_high = high
    return true
  }
}
