// Load.swift: what keeps the processors busy while an item of another class is timed.
import Dispatch
import Glibc

/// Milliseconds since some moment.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

/// Computes for this many milliseconds.
func burn(_ milliseconds: Double) {
  let end = now() + milliseconds
  while now() < end {}
}

func sleep(milliseconds: Double) { usleep(UInt32(milliseconds * 1e3)) }

/// Something that has happened. Never taken back.
final class Flag: @unchecked Sendable {
  // SAFETY: one word, written once under the lock.
  private let lock = UnsafeMutablePointer<pthread_spinlock_t>.allocate(capacity: 1)
  private var hasRisen = false
  init() { pthread_spin_init(lock, 0) }
  var isUp: Bool {
    pthread_spin_lock(lock)
    defer { pthread_spin_unlock(lock) }
    return hasRisen
  }
  func raise() {
    pthread_spin_lock(lock)
    hasRisen = true
    pthread_spin_unlock(lock)
  }
}

let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

/// Twice as many items as there are processors, each of which computes until the end.
func compute(on queue: DispatchQueue, until stop: Flag) {
  for _ in 0..<2 * processors { queue.async { while !stop.isUp { burn(0.1) } } }
}

/// Items of 0.05 ms that submit their successors until the end.
func flood(_ queue: DispatchQueue, until stop: Flag) {
  @Sendable func feed() {
    burn(0.05)
    if !stop.isUp { queue.async { feed() } }
  }
  for _ in 0..<4 * processors { queue.async { feed() } }
}

/// Tasks that compute for 0.05 ms and then let others run, until the end.
func floodOfTasks(_ priority: TaskPriority, until stop: Flag) {
  for _ in 0..<4 * processors {
    Task.detached(priority: priority) {
      while !stop.isUp {
        burn(0.05)
        await Task.yield()
      }
    }
  }
}
