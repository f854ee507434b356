// Elsewhere.swift: deeds of other threads that nothing orders with what follows; and threads that are there before a case begins.
import Glibc
import Synchronization

/// A deed and whether it is done.
private final class Deed: Sendable {
  let isDone = Atomic(false)
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  func run() {
    body()
    isDone.store(true, ordering: .relaxed)
  }
}

/// An object that is made for several threads, whether its library says so or not.
struct Shared<Object>: @unchecked Sendable {
  // SAFETY of @unchecked: what the cases share is safe on any thread.
  let object: Object
  init(_ object: Object) { self.object = object }
}

/// Has a thread of its own run `body`, and returns when that is done. What comes before the call comes before it; what follows has no
/// order with it that the sanitizer would see, since relaxed words give none. The thread stays to the end of the
/// program: of threads that are gone the sanitizer forgets what they did, and so their races.
func doElsewhere(_ body: @escaping @Sendable () -> Void) {
  let deed = Deed(body)
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { box in
      Unmanaged<Deed>.fromOpaque(box!).takeRetainedValue().run()
      while true { pause() }
    }, Unmanaged.passRetained(deed).toOpaque())
  precondition(status == 0)
  pthread_detach(thread)
  while !deed.isDone.load(ordering: .relaxed) { sched_yield() }
}

/// Makes the pool's threads. Else an item's thread could be a new one, and what made it comes before all that it does, which would hide
/// both races and missing orders.
func warmUp() {
  let (here, count) = (Count(), 4)
  for _ in 0..<count {
    DispatchQueue(label: "warm up").async {
      here.number.add(1, ordering: .relaxed)
      while here.number.load(ordering: .relaxed) < count { sched_yield() }
    }
  }
  while here.number.load(ordering: .relaxed) < count { sched_yield() }
}
final class Count: Sendable {
  let number = Atomic(0)
}

/// The last deed of a case, which the main thread waits for.
let done = DispatchSemaphore(value: 0)
@Sendable func countAndTell() {
  state.count += 1
  done.signal()
}
