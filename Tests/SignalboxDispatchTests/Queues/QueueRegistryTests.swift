// QueueRegistryTests.swift: the register of queues has each as long as it lives, whichever thread makes and frees it.
// The table behind it is PlaceTableTests.swift; that it is read from outside, SignalboxInspectorTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("The register of queues") struct QueueRegistryTests {
  /// How often an address stands in the register. Other tests make and free queues meanwhile.
  private func count(_ address: UInt) -> Int { QueueRegistry.testsOnly_addresses.filter { $0 == address }.count }

  @Test("Queues of every sort stand in it once; a source's turn is none")
  func sorts() {
    let inactive = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    let all: [DispatchQueue] = [
      DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent), inactive, .main, .global(),
      DispatchWorkloop(label: "loop"), RunLoopQueue(label: "run loop"), DispatchSerialQueue(label: "serial"),
      .global(qos: .background),
    ]
    for queue in all { #expect(count(queue.address) == 1, "\(queue.label)") }
    inactive.activate()
    let core = DataCore(.add, target: all[0])
    #expect(count(core.address) == 0)
    core.cancel()
    core.activate()
  }

  @Test("A queue that has gone stands in it no more, whichever thread frees it; its place is another's")
  func gone() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      final class Held: @unchecked Sendable {
        // SAFETY of @unchecked: one thread after the other.
        var queues: [DispatchQueue] = []
      }
      let before = QueueRegistry.testsOnly_addresses.count, held = Held()
      for _ in 0..<50 {
        for number in 0..<200 { held.queues.append(DispatchQueue(label: "\(number)")) }
        let addresses = Set(held.queues.map(\.address))
        expect(addresses.isSubset(of: QueueRegistry.testsOnly_addresses), "all stand in it")
        TestThread { held.queues = [] }.join()
        // The first queue makes the global one that it runs on, and so all of them.
        expect(QueueRegistry.testsOnly_addresses.count <= before + ServiceClass.count, "none is left")
      }
      expect(placeCount() <= 200 + 4 * 128, "places come back from other threads")
    }
  }

  @Test("What a thread had is there for others once it has ended, also if it frees queues at its very end")
  func threadsEnd() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      for number in 0..<500 {
        TestThread {
          let queue = DispatchQueue(label: "\(number)")
          if number % 2 == 0 { freeAtEnd(queue) }
        }.join()
      }
      let left = QueueRegistry.testsOnly_addresses.count
      expect(left == ServiceClass.count, "\(left) queues are left")
      expect(placeCount() <= 4 * 128, "\(placeCount()) places were handed out for 500 threads")
    }
  }

  @Test("Threads make and free queues of each other's meanwhile")
  func stress() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let places = (0..<64).map { _ in QueuePlace() }
      let threads = (0..<6).map { number in
        TestThread {
          var random = SmallRandom(seed: UInt64(number))
          for round in 0..<20_000 {
            let place = places[Int(random.next() % 64)]
            _ = place.exchange(random.next() % 4 == 0 ? nil : DispatchQueue(label: "\(round)"))
          }
        }
      }
      for thread in threads { thread.join() }
      let left = places.compactMap { $0.exchange(nil) }
      expect(Set(left.map(\.address)).isSubset(of: QueueRegistry.testsOnly_addresses), "what lives stands in it")
      let all = QueueRegistry.testsOnly_addresses
      expect(all.count == left.count + ServiceClass.count && Set(all).count == all.count, "each once, and nothing else")
      expect(placeCount() <= 64 + 5 + 7 * 256, "\(placeCount()) places were handed out")
    }
  }
}

/// In a child process.
private func expect(_ condition: Bool, _ what: String) { if !condition { fatalError(what) } }
private func placeCount() -> Int { PlaceTable(PlaceWords.ofQueues).testsOnly_places.count }

/// Keeps a queue until the calling thread's last destructors.
private func freeAtEnd(_ queue: DispatchQueue) {
  final class Keeper {
    let queue: DispatchQueue
    init(_ queue: DispatchQueue) { self.queue = queue }
  }
  var key = pthread_key_t()
  // Made after Signalbox's own, so it is destroyed later.
  pthread_key_create(&key) { Unmanaged<Keeper>.fromOpaque($0!).release() }
  pthread_setspecific(key, Unmanaged.passRetained(Keeper(queue)).toOpaque())
}

/// Where threads leave queues for each other.
private final class QueuePlace: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `mutex`.
  private var mutex = pthread_mutex_t()
  private var queue: DispatchQueue?
  func exchange(_ other: DispatchQueue?) -> DispatchQueue? {
    pthread_mutex_lock(&mutex)
    defer { pthread_mutex_unlock(&mutex) }
    defer { queue = other }
    return queue
  }
}
