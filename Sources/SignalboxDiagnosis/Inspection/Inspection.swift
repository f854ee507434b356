// Inspection.swift: what a process shows of itself to whoever asks. How threads are read is InspectedThread.swift, the text that is sent
// InspectionText.swift, what the layers above add InspectedParts.swift.
import SignalboxSystem

/// What a process does at one moment, as one copy of us sees it.
struct Inspection: Sendable {
  /// Queues, the pool, timers; what could not be read.
  var parts = InspectedParts()
  var threads: [InspectedThread] = []
  var cycles: [MixedCycle] = []
}

extension Inspection {
  /// Whether the stacks of threads that do not wait with us are asked for.
  enum Stacks { case ofWaits, all }

  /// Reads the whole process.
  ///
  /// `ages`: what is sampled once a second. Nothing is stopped. Waits for no lock of ours for longer than a moment, and reads what may be gone by way of the kernel.
  static func take(_ stacks: Stacks, _ ages: inout ItemAges) -> Inspection {
    var inspection = Inspection()
    ages.sample(at: Clock.uptime())
    let before = ages
    Layers.forEach { $0.inspect(&inspection.parts) }
    let own = OwnThreads.all.union([ThreadSlot.kernelID()])
    let reader = ThreadReader(stacks: stacks)
    for thread in KernelThread.all().sorted() {
      if let read = reader.read(thread, isOwn: own.contains(thread)) { inspection.threads.append(read) }
    }
    let now = Clock.uptime()
    ages.sample(at: now)
    for index in inspection.threads.indices where inspection.threads[index].item != nil {
      // The number was the same before the item was read, and after.
      guard let seen = ages[inspection.threads[index].id], seen == before[inspection.threads[index].id] else { continue }
      inspection.threads[index].itemAge = now &- seen.since
    }
    let unread = inspection.threads.filter { $0.isUnread }.count
    if unread > 0 {
      inspection.parts.unread.append("the waits of \(unread) threads, which began and ended while they were read")
    }
    let waiting = inspection.threads.filter { $0.wait != nil || $0.mutex != nil }.map(\.id)
    var seen: Set<MixedCycle.Identity> = []
    inspection.cycles = MixedWalk.cycles(from: waiting).filter { seen.insert($0.identity).inserted }
    // Some of them may have gone to sleep since they were read: from now on they stand still.
    let stuck = Set(inspection.cycles.flatMap { $0.participants.map(\.thread) })
    for index in inspection.threads.indices where stuck.contains(inspection.threads[index].id) {
      guard let again = reader.read(inspection.threads[index].id, isOwn: false) else { continue }
      let age = inspection.threads[index].itemAge
      inspection.threads[index] = again
      inspection.threads[index].itemAge = age
    }
    return inspection
  }
}
