// StackCapture.swift: the return addresses of the calling thread, by frame pointers that never leave the stack.
import CSignalbox

/// Capturing call stacks.
public enum StackCapture {
  /// Return addresses from the caller outward, at most `limit`.
  ///
  /// - Note: no allocation besides the array; ends early at code built without frame pointers. Not symbolicated.
  public static func addresses(limit: Int = 64) -> [UInt] {
    [UInt](unsafeUninitializedCapacity: limit) { buffer, count in count = fill(buffer) }
  }

  /// Return addresses from the caller outward, as many as fit; how many there are. Allocates nothing.
  public static func fill(_ buffer: UnsafeMutableBufferPointer<UInt>) -> Int {
    let thread = sb_thread_get()
    if thread.pointee.stack_high == 0 {
      var low: UInt = 0, high: UInt = 0
      guard sb_stack_bounds(&low, &high) == 0 else { return 0 }
      thread.pointee.stack_low = low
      thread.pointee.stack_high = high
    }
    guard let base = buffer.baseAddress else { return 0 }
    return Int(sb_capture_stack(base, Int32(buffer.count), thread.pointee.stack_low, thread.pointee.stack_high))
  }
}
