// ThreadMaker.swift: the thread that makes threads for those that stand behind others. What puts a thread there is ThreadRank.swift.
//
// A new thread inherits its maker's niceness and policy, and without a right for it nobody gives niceness back. So a worker that has
// lowered itself does not make threads: it leaves that to one that has not, and waits for it.
import CSignalbox
import Glibc

enum ThreadMaker {
  private final class Request: @unchecked Sendable {
    // SAFETY of @unchecked: the asker fills it in and then publishes it; the maker answers through `answer`, and the asker waits for that.
    let spawn: () -> Int32
    var result: Int32 = 0
    var next: UInt64 = 0
    let answer = Atomic32(0)
    init(_ spawn: @escaping () -> Int32) { self.spawn = spawn }
  }

  private enum State {
    static let none: UInt32 = 0, made: UInt32 = 1, ready: UInt32 = 2
  }
  private static let state = Atomic32(State.none)
  /// The last of the requests that wait, the others behind it; Unmanaged, each +1. 0: none.
  private static let requests = Atomic64(0)
  /// 20 minus the niceness of the maker, and the process it lives in: a fork's child has none. relaxed: written
  /// before the state is `ready`.
  private static let standing = Relaxed32(0)
  private static let process = Relaxed32(0)  // relaxed: as above
  private static let bell = Atomic32(0)

  /// Makes the maker, by a thread that has not lowered itself. False: there is none, so no thread may lower itself.
  static func prepare() -> Bool {
    if isReady { return true }
    guard ThreadRank.isOrdinary else { return false }
    // acquire-release: one makes it; nothing is read through the word until it is `ready`
    guard state.casAcqRel(State.none, State.made).exchanged else { return comes() }
    standing.store(UInt32(max(0, sb_niceness(0))))
    process.store(UInt32(getpid()))
    let result = sb_thread_spawn(
      { _ in
        Threads.setName("signalbox.maker")
        ThreadMaker.serve()
      }, UnsafeMutableRawPointer(bitPattern: 8)!, 128 * 1024)
    // release: what stands in the words above; pairs with the acquire in isReady
    state.storeRelease(result < 0 ? State.none : State.ready)
    state.wake(count: .max)
    return result >= 0
  }

  /// Another thread makes it just now: waits for that. Else a thread that asks meanwhile would stand as high as others for life.
  private static func comes() -> Bool {
    // acquire: pairs with the release at the end of prepare()
    while state.loadAcquire() == State.made { state.park(expected: State.made) }
    return isReady
  }

  // acquire: pairs with the release at the end of prepare()
  static var isReady: Bool { state.loadAcquire() == State.ready }
  /// The niceness of the maker: of threads that have not lowered themselves.
  static var niceness: Int { 20 - Int(standing.load()) }

  /// Makes a thread by `spawn`, on the calling thread unless that is a worker which has lowered itself. What a thread of the program's own
  /// makes has its niceness, as everywhere.
  static func make(_ spawn: @escaping () -> Int32) -> Int32 {
    guard isReady, mayBeLowered, sb_niceness(0) < Int32(standing.load()), process.load() == UInt32(getpid()) else {
      return spawn()
    }
    let request = Request(spawn)
    let bits = UInt64(UInt(bitPattern: Unmanaged.passRetained(request).toOpaque()))
    var last = requests.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      request.next = last
      // release: the request is whole; pairs with the maker's exchange
      let swap = requests.casAcqRel(last, bits)
      if swap.exchanged { break }
      last = swap.original
    }
    _ = bell.exchangeAcqRel(1)  // acquire-release: after the request; pairs with the maker's exchange
    bell.wake()
    // acquire: pairs with the release in serve()
    while request.answer.loadAcquire() == 0 { request.answer.park(expected: 0) }
    return request.result
  }

  /// Whether the calling thread is a worker, or was one until its end began.
  private static var mayBeLowered: Bool {
    let thread = ThreadSlot.current
    return thread.pointee.worker != nil || thread.pointee.is_ending == 1
  }

  private static func serve() -> Never {
    while true {
      // acquire-release: a request that comes after the taking below rings again
      while bell.exchangeAcqRel(0) == 0 { bell.park(expected: 0) }
      var bits = requests.exchangeAcqRel(0)  // acquire: the requests are whole; pairs with the swap in make(_:)
      while bits != 0 {
        let request = Unmanaged<Request>.at(UInt(bits)).takeRetainedValue()
        bits = request.next
        request.result = request.spawn()
        request.answer.storeRelease(1)  // release: the result; pairs with the acquire in make(_:)
        request.answer.wake()
      }
    }
  }
}
