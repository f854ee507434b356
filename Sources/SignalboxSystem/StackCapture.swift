// StackCapture.swift: the return addresses of the calling thread, by frame pointers that never leave the stack.
import CSignalbox

/// Capturing call stacks.
public enum StackCapture {
  /// Return addresses from the caller outward, at most `limit`.
  ///
  /// - Note: no allocation besides the array; ends early at code built without frame pointers. Not symbolicated.
  public static func addresses(limit: Int = 64) -> [UInt] {
    let thread = sb_thread_get()
    if thread.pointee.stack_high == 0 {
      var low: UInt = 0, high: UInt = 0
      guard sb_stack_bounds(&low, &high) == 0 else { return [] }
      thread.pointee.stack_low = low
      thread.pointee.stack_high = high
    }
    return [UInt](unsafeUninitializedCapacity: limit) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = Int(
        sb_capture_stack(base, Int32(limit), thread.pointee.stack_low, thread.pointee.stack_high))
    }
  }
}
