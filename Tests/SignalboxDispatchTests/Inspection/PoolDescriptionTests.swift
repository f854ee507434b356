// PoolDescriptionTests.swift: what the process says of its pools, workers and rings is where these are: the views over
// its own memory have what the objects themselves have.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch
@testable import SignalboxView

@Suite("Where pools, workers and rings lie") struct PoolDescriptionTests {
  @Test("A worker is found by its thread, with its status, its count of jobs and its pool")
  func workers() throws {
    let over = DispatchSemaphore(value: 0)
    let found = OSAllocatedUnfairLock(initialState: (seen: WorkerView?.none, expected: WorkerView?.none))
    DispatchQueue.global().async {
      let thread = ThreadSlot.current, record = UInt64(UInt(bitPattern: thread))
      let place = ThreadPlace(owner: thread.pointee.owner, thread: Int32(thread.pointee.tid), record: record)
      let expected = Pool.worker(thread)?.use { worker in
        WorkerView(
          thread: Int32(thread.pointee.tid), status: WorkerStatus.running, progress: worker.progress.loadRelaxed(),
          pool: worker.pool.address)
      }
      found.withLock { $0 = (PoolReader(.own).worker(of: place), expected) }
      over.signal()
    }
    over.wait()
    let (seen, expected) = found.withLock { $0 }
    #expect(seen == expected && seen != nil)
    let pools = PoolReader(.own).pools([])
    #expect(pools.count == Pools.all.count)
    for (view, pool) in zip(pools, Pools.all) {
      let view = try #require(view)
      #expect(view.address == pool.address && view.name == pool.use { $0.band.name } && view.limit == pool.use { $0.bound })
    }
    #expect(seen?.pool == Pools.ofProcess.serving(.standard).address)
  }

  @Test("Items in a worker's ring are found by the ring's address, in their order, across the end of its slots")
  func rings() throws {
    DispatchQueue.global().sync {}
    let over = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { over.signal() }
    over.wait()
    let table = RingTable(4), ring = table.lend(), other = table.lend(), form = table.form
    for number in 0..<OwnRing.capacity - 2 {
      _ = ring.put(Slot(number + 1, number), of: .initiated)
      _ = ring.take()
    }
    for number in UInt64(0)..<5 { #expect(ring.put(Slot(100 + number, number), of: .utility)) }
    #expect(other.put(Slot(7, 8), of: .background))
    let reader = RingReader(.own), count = try #require(ReadMemory.own.word64(form.count))
    let views = reader.rings(at: form.places, count: count)
    #expect(views.map(\.count) == [5, 1] && views.map(\.place) == [3, 4] && views.allSatisfy { reader.isWhole($0) })
    #expect(reader.first(9, of: views[0]) == (0..<5).map { Slot(100 + $0, $0) })
    #expect(reader.first(2, of: views[0]).count == 2 && reader.first(9, of: views[1]) == [Slot(7, 8)])
    while ring.take() != nil {}
    _ = other.take()
    #expect(reader.rings(at: form.places, count: count).map(\.count) == [0, 0])
  }

  @Test("The global queues' lists are those of the queues, and lists that are shared are found with what lies in them")
  func lists() throws {
    _ = Pools.ofProcess
    let all = try #require(SharedItemsReader(.own, .own)).all(first: 3)
    #expect(all.map(\.queue) == ServiceClass.all.map { UInt64(GlobalQueues.processes.root($0).use { $0.address }) })
    let list = PoolList.made(), reader = try #require(ListReader(.own))
    var pages = 100
    for number in UInt64(0)..<600 { list.append(Slot(5_000 + number, number)) }
    _ = list.take()
    let ends = try #require(reader.ends(of: list.address))
    #expect(reader.length(of: list.address, ends, pages: &pages) == .known(599) && ends.done == 1 && pages == 97)
    #expect(reader.first(300, of: list.address, ends) == (1...300).map { Slot(5_000 + $0, $0) })
    while case .one = list.take() {}
    #expect(try #require(reader.ends(of: list.address)).done == 600)
  }
}
