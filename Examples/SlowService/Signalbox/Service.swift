// Service.swift: a small bank that is slow in three ways: each is a fault that was planted, and that the documentation's article "A slow
// service, found in three ways" finds. Its people are Clients.swift, how long a fault lasts Stage.swift.
//
//   slow-service          each fault takes its time, and its clients say how long they waited
//   slow-service --hold   each fault lasts until a line comes on standard input, and says on standard output that it has begun
import Glibc

@main
struct Service {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    guard words.isEmpty || Array(words) == ["--hold"] else {
      Stage.say("usage: slow-service [--hold]")
      exit(64)
    }
    let clients = Clients(Stage(isHeld: !words.isEmpty))
    startThread {
      clients.run()
      exit(0)
    }
    dispatchMain()
  }

  /// A thread of the program's own: what it does takes none of the pool's.
  private static func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let made = pthread_create(
      &thread, nil,
      { raw in
        // SAFETY: what was retained for this thread; it is taken once.
        if let raw { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    guard made == 0 else { fatalError("there is no thread for the clients: error \(made)") }
    pthread_detach(thread)
  }
}
