// CCall.swift: the border that no exception crosses: calls of C callers' functions. Alone: nothing else is a border.
import CSignalbox

/// Calls C functions by address.
public enum CCall {
  /// Calls `function` with one argument, or two.
  ///
  /// A C++ exception that leaves the function ends the program at once, by its own terminate handler, before anything is
  /// unwound: above this frame there is nothing that could handle it, and queues would be left half released. The end of the
  /// thread (`pthread_exit`) passes.
  @inlinable @inline(__always)
  public static func call(
    _ function: UnsafeRawPointer, _ first: UnsafeMutableRawPointer?, _ second: UInt = 0
  ) { sb_call_barred(function, first, second) }

  /// The address of the function by which the C face runs blocks, each its argument; 0 in a program without that face.
  public static var blockCaller: UInt { UInt(bitPattern: sb_block_caller_value()) }
}
