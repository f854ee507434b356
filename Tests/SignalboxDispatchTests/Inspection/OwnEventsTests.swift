// OwnEventsTests.swift: the views of timers and descriptors over this process's own memory, against what the engine
// knows under its locks: the layouts that it has described are those that it has.
import Glibc
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch
@testable import SignalboxView

@Suite("Timers and descriptors in this process's memory") struct OwnEventsTests {
  private let items = ItemReader(.own) { _, _ in false }

  @Test("Timers of each clock are found with their queues and deadlines, and what they do")
  func timers() throws {
    let queue = DispatchQueue(label: "own.later"), address = UInt64(queue.address)
    let point = { (clock: RawTime.Clock) in clock.present + 5_000_000_000_000 }
    for (clock, shown) in [(.uptime, .uptime), (.continuous, .continuous), (.wall, .wall)] as [(RawTime.Clock, TimerClock)] {
      let view = try #require(TimersView(.own, items: items)), deadline = point(clock)
      ClockTimers.of(clock).use { $0.submit(at: deadline, to: queue, Slot(0x40_0000, 0)) }
      let found = try #require(view.timers(of: shown, most: 1_000))
      let timer = try #require(found.armed.first { $0.queue == address && $0.deadline == deadline }, "\(found)")
      #expect(timer.task == .item(RunningItem(kind: "async", function: 0x40_0000)))
      #expect(found.count >= 1 && found.armed.count <= found.count)
    }
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + 7_000, leeway: .seconds(5))
    source.setEventHandler {}
    source.activate()
    queue.sync {}
    let found = try #require(TimersView(.own, items: items)?.timers(of: .uptime, most: 1_000))
    let sources = found.armed.filter { timer in
      if case .source(let object) = timer.task { object != 0 && timer.queue == address } else { false }
    }
    #expect(sources.count == 1, "\(found)")
    source.cancel()
  }

  @Test("Descriptors are found with their directions and labels, and go with their sources")
  func descriptors() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let reading = DescriptorTable.shared.watch(ends[0], .readable, label: "a label that does not fit in two words") { _ in }
    let writing = DescriptorTable.shared.watch(ends[1], .writable, label: nil) { _ in }
    func found() throws -> [WatchedDescriptor] {
      let read = try #require(DescriptorsView(.own)?.read())
      return read.all.filter { [Int(ends[0]), Int(ends[1])].contains($0.number) }.sorted { !$0.isWritable && $1.isWritable }
    }
    let wanted = [
      WatchedDescriptor(number: Int(ends[0]), isWritable: false, label: "a label that does not fit in two words"),
      WatchedDescriptor(number: Int(ends[1]), isWritable: true, label: ""),
    ]
    #expect(try found() == wanted)
    reading.cancel {}
    writing.cancel {}
    #expect(try found().isEmpty)
    for end in ends { close(end) }
  }

  @Test("The number of other events is counted up and down, where the process says")
  func others() throws {
    let before = EventThread.shared.watchedCount, place = UInt(ReadMemory.own.described(.otherEvents))
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let watch = try EventThread.shared.watch(ends[0], for: .readable) { _ in }
    let alarm = try EventThread.shared.watch(ends[1], for: .readable, isAlarm: true) { _ in }
    #expect(EventThread.shared.watchedCount == before + 1 && SafeMemory.word64(place) == UInt64(before + 1))
    for watch in [watch, alarm, watch] { watch.cancel() }
    #expect(EventThread.shared.watchedCount == before)
    // What the kernel refuses is not counted.
    #expect(throws: SystemError.self) { _ = try EventThread.shared.watch(-1, for: .readable) { _ in } }
    #expect(EventThread.shared.watchedCount == before)
    for end in ends { close(end) }
  }
}
