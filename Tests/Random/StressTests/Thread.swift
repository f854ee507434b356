// Thread.swift: plain threads to run stress on: not the engine's, so that they begin and end as a program's own threads do.
import Glibc

/// A thread of the system that can be joined.
struct Thread: @unchecked Sendable {
  // SAFETY of @unchecked: the handle is only joined, and only once.
  private let handle: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var made = pthread_t()
    let result = pthread_create(
      &made, nil,
      { raw in
        // SAFETY: the argument is the box that init retained; it is taken once.
        Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue().call()
        return nil
      }, box.toOpaque())
    precondition(result == 0, "no thread can be made (\(result))")
    handle = made
  }

  func join() { pthread_join(handle, nil) }

  private final class Body: Sendable {
    let call: @Sendable () -> Void
    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  }
}
