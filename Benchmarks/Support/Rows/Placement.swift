// Placement.swift: keeps a thread on one processor, so that threads which shall contend cannot end up side by side on one.
import Glibc

/// Where a crew's threads run.
public enum Placement: Sendable {
  /// Each thread stays on one processor, the next one each time: contention does not depend on the scheduler's luck.
  case spread
  /// Wherever the scheduler puts them: what counts is how they wake each other.
  case free
}

/// The layout of `cpu_set_t`: 1,024 bits.
private typealias ProcessorSet = [UInt64]
private let wordsInSet = 16

private typealias AffinityCall = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> CInt

/// `sched_getaffinity` or `sched_setaffinity` on the calling thread, found by name because the Glibc module shows neither.
private func callAffinity(_ name: String, _ set: inout ProcessorSet) -> Bool {
  guard let function = dlsym(nil, name) else { return false }
  // SAFETY: the C library documents this signature for both; the set is as large as it is said to be and outlives the call.
  let call = unsafeBitCast(function, to: AffinityCall.self)
  return set.withUnsafeMutableBytes { bytes in
    bytes.baseAddress.map { call(0, bytes.count, $0) == 0 } ?? false
  }
}

/// The processors that this process may use.
func usableProcessors() -> [Int] {
  var set = ProcessorSet(repeating: 0, count: wordsInSet)
  guard callAffinity("sched_getaffinity", &set) else { return [] }
  return (0..<wordsInSet * 64).filter { set[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
}

/// Keeps the calling thread on one of the usable processors; does nothing where that is not permitted.
func stayOnProcessor(_ number: Int, of usable: [Int]) {
  guard usable.count > 1 else { return }
  let processor = usable[number % usable.count]
  var set = ProcessorSet(repeating: 0, count: wordsInSet)
  set[processor / 64] = 1 << UInt64(processor % 64)
  _ = callAffinity("sched_setaffinity", &set)
}
