// CallSite.swift: where in the program a hook was called from: the return addresses outward from the hook, which is
// left out, as all of this library is under an unmodified program.
import CSignalbox
import SignalboxSystem

/// The place of a call, as long as that call lasts.
package struct CallSite {
  #if DEBUG
  /// Without optimisation our own frames between the program and the hook are many.
  package static let limit = 14
  #else
  package static let limit = 8
  #endif

  /// The address of a variable of the hook. SAFETY: only compared with frames of the same stack, never read.
  private let variable: UInt

  /// The place from which the function of the calling thread was called in whose frame the variable lies.
  init(above variable: UInt) { self.variable = variable }

  /// Calls `body` with the place from which the function was called that calls this.
  @inline(__always)
  package static func here<R>(_ body: (CallSite) -> R) -> R {
    var mark: UInt8 = 0
    return withUnsafePointer(to: &mark) { body(CallSite(above: UInt(bitPattern: $0))) }
  }

  /// The return addresses, innermost first.
  @inline(__always)
  package func withAddresses<R>(_ body: (UnsafeBufferPointer<UInt>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: Self.limit) { buffer in
      let count = StackCapture.fillProgram(buffer, above: variable)
      return body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Brings the walk, which is the calling thread's for calls like this one, up to date.
  @inline(__always)
  package func renew(_ walk: RememberedWalk) {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: RememberedWalk.limit) { buffer in
      guard let count = StackCapture.refill(buffer, known: walk.known, walk.memo) else { return }
      for index in 0..<count { walk.known[index] = UInt64(buffer[index]) }
    }
  }

  /// Writes the innermost addresses of the walk to `place`, `most` at most, and says how many.
  package func write(_ walk: RememberedWalk, to place: UnsafeMutablePointer<Atomic64>, most: Int) -> Int {
    let first = walk.first(above: variable), end = min(Int(walk.memo.pointee.count), first + most)
    for index in first..<max(first, end) { place[index - first].storeRelaxed(walk.known[index]) }  // relaxed: see HeldEntry
    return max(0, end - first)
  }

  package var addresses: [UInt] { withAddresses { Array($0) } }

  /// The return addresses from the function outward in whose frame `variable` of the calling thread lies.
  package static func outside(_ variable: UInt) -> [UInt] { CallSite(above: variable).addresses }
}

/// A stack that a thread has captured before, in memory of its own.
package struct RememberedWalk {
  /// This many addresses are captured: those of the hook itself, and what is wanted.
  package static let limit = CallSite.limit + 8
  /// Words of memory.
  package static let words = MemoryLayout<StackCapture.Memo.Pointee>.size / 8 + limit

  // SAFETY: zeroed memory of that size, which the calling thread alone uses.
  package let memo: StackCapture.Memo
  package let known: UnsafeMutablePointer<UInt64>
  private let index: Int

  /// The thread's walk number `index`, below 256.
  package init(_ memory: UnsafeMutableRawPointer, index: Int) {
    self.index = index
    memo = memory.assumingMemoryBound(to: StackCapture.Memo.Pointee.self)
    known = (memory + MemoryLayout<StackCapture.Memo.Pointee>.size).assumingMemoryBound(to: UInt64.self)
  }

  /// No other walk's of the thread, and no earlier state's of this one.
  package var state: UInt64 { memo.pointee.changes << 8 | UInt64(index) }

  /// Where the addresses begin that return from the function in whose frame the variable lies, and from those outward.
  package func first(above variable: UInt) -> Int {
    let slots = sb_memo_slots(memo), count = Int(memo.pointee.count), high = UInt(memo.pointee.high)
    var index = 1
    while index < count, high - UInt(slots[index]) <= variable { index += 1 }
    return index
  }
}
