// ThreadLocals.swift: what these classes keep of one thread: its Thread object and its run loop, made at first need and given
// up when the thread ends.
import SignalboxDiagnosis
import SignalboxSystem

/// One thread's part of the module. Only its own thread has it in hands.
final class ThreadLocals {
  var thread: Thread?
  var loop: RunLoop?
  var notifications: NotificationQueue?

  /// The calling thread's.
  static var current: ThreadLocals { existing ?? make() }

  /// The calling thread's; nil if it has used none of these classes yet.
  static var existing: ThreadLocals? {
    guard let raw = ThreadSlot.current.pointee.foundation else { return nil }
    return Unmanaged<ThreadLocals>.fromOpaque(raw).takeUnretainedValue()
  }

  private static let endIsNoticed: Void = ThreadSlot.onThreadEnd { ThreadLocals.threadEnds() }

  @inline(never)
  private static func make() -> ThreadLocals {
    let made = ThreadLocals()
    made.enter()
    return made
  }

  /// Makes them the calling thread's, which keeps them.
  private func enter() {
    _ = Self.endIsNoticed
    _ = ThreadSlot.owner()  // only the end of threads that hold a slot is noticed
    ThreadSlot.current.pointee.foundation = Unmanaged.passRetained(self).toOpaque()
  }

  /// The locals of a thread that is to be started, made by the thread that starts it: a new thread's first allocation
  /// is a dear one, and its block can begin without. To be passed to `takeOver` on that thread.
  static func handOver(_ thread: Thread) -> UnsafeMutableRawPointer {
    let made = ThreadLocals()
    made.thread = thread
    return Unmanaged.passRetained(made).toOpaque()
  }

  /// On the new thread: what was handed over is the calling thread's from now on. Its object, kept by the locals only.
  @inline(never)
  static func takeOver(_ handed: UnsafeMutableRawPointer) -> Lent<Thread>? {
    let locals = Unmanaged<ThreadLocals>.fromOpaque(handed).takeRetainedValue()
    locals.enter()
    return locals.thread.map { Lent($0) }
  }

  /// What is released here may run code of the program's, which finds the thread as it was.
  private static func threadEnds() {
    guard let raw = ThreadSlot.current.pointee.foundation else { return }
    let locals = Unmanaged<ThreadLocals>.fromOpaque(raw).takeUnretainedValue()
    // Of threads that something else has made only `exit()` tells.
    if let thread = locals.thread { thread.finish(isTold: !thread.isMet) }
    locals.notifications = nil
    locals.thread?.hasLostLoop()
    locals.loop?.threadHasEnded()
    locals.loop = nil
    HeldAtEnd.reportUntracked()
    ThreadSlot.current.pointee.foundation = nil
    Unmanaged<ThreadLocals>.fromOpaque(raw).release()
  }
}
