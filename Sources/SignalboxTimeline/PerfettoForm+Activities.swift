// PerfettoForm+Activities.swift: operations, sources, loops, transfers, and moments of groups and semaphores in Perfetto's form. Items, waits and all that
// a packet is made of are PerfettoForm.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

extension PerfettoWriter {
  mutating func beganActivity(_ slice: TimelineSlice, _ track: UInt64, _ thread: Int) {
    let time = slice.begin, name = names.activity(slice)
    switch slice.kind {
    case .operationBegan: beganOperation(slice, track, thread)
    case .onceBegan: event(Kind.begin, track, at: time, name, category: "once")
    case .sourceBegan:
      var notes: [Note] = [.number("data", slice.number)]
      if let handler = names.function(slice.function) { notes.append(.text("handler", handler.name)) }
      event(Kind.begin, track, at: time, name, category: "source", notes)
    case .loopBegan: event(Kind.begin, track, at: time, name, category: "loop")
    default: event(Kind.begin, track, at: time, name, category: "phase")
    }
  }

  private mutating func beganOperation(_ slice: TimelineSlice, _ track: UInt64, _ thread: Int) {
    guard let operation = slice.operation else { return }
    let time = slice.begin, (name, place) = names.operation(operation.name)
    var notes: [Note] = []
    if let place { notes.append(.text("place", place)) }
    if operation.queue != 0 { notes.append(.text("queue", names.object(operation.queue, at: time))) }
    if let added = operation.added {
      let ready = max(added.time, operation.ready ?? time)
      notes.append(.number("held by others (ns)", ready - added.time))
      notes.append(.number("waited for its turn (ns)", time - min(time, ready)))
      notes.append(.text("added by", names.thread(added.thread)))
    }
    if let holder = operation.heldBy { notes.append(.text("held last by", names.operation(holder).name)) }
    if operation.isCancelled { notes.append(.text("state", "cancelled")) }
    event(Kind.begin, track, at: time, name, category: "operation", flow: operation.flow, notes)
    guard operation.queue != 0 else { return }
    let lane = takeLane(
      .operation(operation.flow), Lane(address: operation.queue, name: names.object(operation.queue, at: time)))
    event(
      Kind.begin, lane, at: time, name, category: "operations", flow: operation.flow, isLastFlow: true,
      [.text("thread", names.thread(thread))])
  }

  mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber) {
    let track = track(ofThread: thread), name = names.moment(moment, at: time)
    var notes: [Note] = []
    switch moment.kind {
    case .semaphoreSignalled: notes = [.number("threads that waited", moment.count)]
    case .groupEntered, .groupLeft:
      count(moment.count, Lane(address: moment.object, name: names.object(moment.object, at: time)), "inside ", at: time)
      notes = [.number("members", moment.members), .number("inside", moment.count)]
    case .workItemCancelled where moment.other != 0: notes = [.text("waits in", names.queue(moment.other, at: time))]
    case .timerArmed: notes = [.number("due in (ns)", moment.count)]
    case .turnHanded: notes = [.text("to", names.holder(moment.other, at: time))]
    case .operationAdded: notes = moment.operation.map { [.text("queue", names.object($0.queue, at: time))] } ?? []
    case .operationReady: notes = moment.operation?.heldBy.map { [.text("after", names.operation($0).name)] } ?? []
    default: break
    }
    let isAdded = moment.kind == .operationAdded || moment.kind == .operationReady
    let flow = isAdded ? moment.operation?.flow ?? 0 : moment.flow
    event(Kind.instant, track, at: time, name, category: Self.category(moment.kind), flow: flow, notes)
  }

  private static func category(_ kind: EventKind) -> String {
    switch kind {
    case .semaphoreSignalled: "semaphore"
    case .groupEntered, .groupLeft: "group"
    case .workItemCancelled: "work item"
    case .turnHanded: "turn"
    case .timerArmed, .timerCancelled: "timer state"
    case .reported: "report"
    default: "operation state"
    }
  }

  mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber) {
    event(
      Kind.instant, track(ofThread: thread), at: time, "woken", category: "wake", flow: waker.flow,
      [.text("by", names.waker(waker))])
  }

  mutating func operationEnded(_ operation: TimelineOperation, isOver: Bool, at time: ReadNumber) {
    leaveLane(.operation(operation.flow), at: time, operation.isCancelled ? [.text("state", "cancelled")] : [])
  }

  mutating func transferBegan(_ transfer: TimelineTransfer, on thread: Int) {
    let name = names.transfer(transfer), descriptor = ReadNumber(UInt64(UInt32(bitPattern: transfer.descriptor)))
    let lane = takeLane(.transfer(transfer.number), Lane(address: descriptor, name: "I/O: " + name))
    event(
      Kind.begin, lane, at: transfer.began, name, category: "transfer",
      (transfer.length.map { [.number("asked for (bytes)", $0)] } ?? []) + [.text("by", names.thread(thread))])
  }

  mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber) {
    leaveLane(
      .transfer(transfer.number), at: time,
      isOver ? [.number("bytes", transfer.bytes), .number("error", ReadNumber(UInt64(transfer.error)))] : [])
  }
}
