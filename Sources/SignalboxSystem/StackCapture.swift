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
    guard knowsBounds(thread), let base = buffer.baseAddress else { return 0 }
    return Int(sb_capture_stack(base, Int32(buffer.count), thread.pointee.stack_low, thread.pointee.stack_high))
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
    return Int(sb_capture_callers(base, Int32(buffer.count), variable, thread.pointee.stack_high))
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

  /// The file that holds `address` and how far from its start; nil if it lies in none. Asks the loader, which takes its lock.
  public static func place(of address: UInt) -> (file: String, offset: UInt)? {
    var offset: UInt = 0
    guard let file = sb_file_holding(address, &offset) else { return nil }
    return (String(cString: file), offset)
  }
}
