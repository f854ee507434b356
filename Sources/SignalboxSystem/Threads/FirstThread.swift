// FirstThread.swift: whether the process's first thread is still there, as far as Signalbox has met it. Swift's runtime ends it when an
// asynchronous main() suspends, and so does the toolchain's dispatchMain().
//
//   0 unseen   it holds no slot: its end would not be noticed
//   1 met      it holds one, and its end leads to 2
//   2 ended    for good
import CSignalbox

/// The process's first thread.
public enum FirstThread {
  private static let word = Atomic32(0)

  // seq_cst both: compared with what is left for the thread by those who ask, and by the end itself the other way round.
  /// Whether it has ended, as far as that was noticed. Thread safety: any thread.
  public static var hasEnded: Bool { word.loadSeqCst() == 2 }
  /// Whether its end was noticed, or will be.
  public static var isMet: Bool { word.loadSeqCst() != 0 }  // seq_cst: as above

  /// The calling thread, which is the first, has its slot.
  static func isEnrolled() { _ = word.casSeqCst(0, 1) }  // seq_cst: as the loads; an end is final

  /// It ends now, or somebody has found that it has ended.
  public static func ends() { word.storeSeqCst(2) }  // seq_cst: before the check of what was left; pairs with the loads
}
