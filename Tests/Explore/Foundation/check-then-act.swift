// check-then-act.swift: a cache asks under its lock whether the picture is there, and stores it under the lock once it is made.
// Two threads can both find nothing, and then the picture is made twice.
// Fix: asked, made and stored without letting the lock go, so the second one finds what the first has stored.
import Foundation

final class Cache: @unchecked Sendable {
  // SAFETY: `picture` and `timesMade` are used under `lock` alone.
  private let lock = NSLock()
  private var picture: String?
  private var timesMade = 0

  private func make() -> String {
    timesMade += 1
    if timesMade > 1 { fail("the picture was made twice") }
    return "picture"
  }

  func load() -> String {
    lock.lock()
    defer { lock.unlock() }
    if let picture { return picture }
    #if !MENDED
    lock.unlock()
    lock.lock()
    #endif
    let made = make()
    picture = made
    return made
  }
}

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func inThreads(_ bodies: @Sendable () -> Void...) {
  let group = DispatchGroup()
  for body in bodies {
    group.enter()
    Thread {
      body()
      group.leave()
    }.start()
  }
  group.wait()
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

let cache = Cache()
inThreads(
  { precondition(cache.load() == "picture") },
  {
    prepare()
    precondition(cache.load() == "picture")
  })
