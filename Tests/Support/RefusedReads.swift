// RefusedReads.swift: a process in which the kernel refuses to read memory, as in a container with a strict profile.
import Glibc

/// Has the kernel answer process_vm_readv with an error in the calling thread; false if the machine permits no filter.
public func refuseReads(with error: Int32) -> Bool {
  struct Instruction {
    var code: UInt16
    var ifEqual: UInt8 = 0
    var ifNot: UInt8 = 0
    var value: UInt32
  }
  struct Program {
    var count: UInt16
    var start: UnsafeMutablePointer<Instruction>
  }
  #if arch(x86_64)
  let call: UInt32 = 310
  #else
  let call: UInt32 = 270
  #endif
  var filter = [
    Instruction(code: 0x20, value: 0), Instruction(code: 0x15, ifEqual: 1, value: call),
    Instruction(code: 0x06, value: 0x7fff_0000), Instruction(code: 0x06, value: 0x0005_0000 | UInt32(error)),
  ]
  typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
  let prctl = unsafeBitCast(dlsym(nil, "prctl")!, to: Prctl.self)
  return filter.withUnsafeMutableBufferPointer { buffer in
    var program = Program(count: 4, start: buffer.baseAddress!)
    return withUnsafeMutablePointer(to: &program) {
      prctl(38, 1, 0, 0, 0) == 0 && prctl(22, 2, UInt(bitPattern: $0), 0, 0) == 0
    }
  }
}
