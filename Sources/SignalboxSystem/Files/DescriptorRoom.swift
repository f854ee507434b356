// DescriptorRoom.swift: whether a few more descriptors can be opened, asked before somebody else's call that opens some and stops
// the program when it cannot. Our own calls throw or wait instead (EventDescriptors, Poller).
import CSignalbox
import Glibc

/// Room for descriptors of others.
public enum DescriptorRoom {
  /// More than are asked for, as a rule: another thread would have to take all of them between the check and the call.
  private static let spare = 4

  /// Calls `body`, which opens up to `count` descriptors, unless the process has no such number left.
  ///
  /// The check is one moment's: descriptors are opened for it, and closed just before `body`.
  /// - Throws: `SystemError`, without having called `body`: `EMFILE`, `ENFILE`, `ENOMEM`.
  public static func call(needing count: Int, _ body: () -> Void) throws(SystemError) {
    var taken: [Int32] = []
    taken.reserveCapacity(count + spare)
    var refusal: SystemError?
    while refusal == nil, taken.count < count + spare {
      do { taken.append(try checked("eventfd", sb_eventfd())) } catch { refusal = error }
    }
    for descriptor in taken { close(descriptor) }
    if taken.count < count, let refusal { throw refusal }
    body()
  }
}
