// InspectionText.swift: one inspection as the JSON that is sent to whoever asked. Places in programs are an image and a distance:
// the asker names functions, so that nothing is started here. What the fields mean is README.md.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// The text of one inspection. For one thread.
final class InspectionText {
  private let json = JSONWriter()
  private let images = MappedImages()
  private var numbers: [String: Int] = [:]
  private var paths: [String] = []
  private let now = Clock.uptime()

  static func bytes(_ inspection: Inspection) -> [UInt8] {
    let text = InspectionText()
    text.write(inspection)
    return text.json.bytes
  }

  private func write(_ inspection: Inspection) {
    json.object {
      json.number("version", InspectionProtocol.version)
      json.number("process", OwnProcess.id)
      json.string("copy", StackCapture.addresses(limit: 1).first.flatMap { images.place(of: $0)?.image } ?? "")
      json.list("circles", inspection.cycles, write)
      json.list("threads", inspection.threads, write)
      json.list("queues", inspection.parts.queues, write)
      json.list("pools", inspection.parts.pools, write)
      if let timers = inspection.parts.armedTimers { json.number("timers", timers) }
      json.list("armed", inspection.parts.timers, write)
      json.list("monitored", inspection.parts.descriptors, write)
      if let events = inspection.parts.events { json.number("events", events) }
      json.list("unread", inspection.parts.unread, json.string)
      // Last: the others have said which there are.
      json.list("images", paths, json.string)
    }
  }

  private func write(_ cycle: MixedCycle) {
    json.object {
      // As in reports: mutexes of the C library are read, they do not report.
      json.string("certainty", cycle.isMixed ? "suspected" : "certain")
      json.list("threads", cycle.participants) { json.number($0.thread) }
    }
  }

  // MARK: threads

  private func write(_ thread: InspectedThread) {
    json.object {
      json.number("thread", thread.id)
      json.string("name", thread.name)
      json.string("state", thread.stateWord)
      if thread.isOwn { json.boolean("own", true) }
      if thread.id == Threads.mainID { json.boolean("main", true) }
      if !thread.frames.isEmpty {
        json.list("inside", thread.frames) { frame in
          json.object {
            json.address("queue", frame.object)
            json.string("as", frame.kind.isDrain ? "item" : "sync")
          }
        }
      }
      if let item = thread.item {
        json.object("runs") {
          json.string("kind", item.kind)
          json.list("function", item.places, writePlace)
          if let age = thread.itemAge, age >= ItemAges.interval { json.seconds("seconds", Double(age) / 1e9) }
        }
      }
      if let wait = thread.wait { write(wait) }
      if let mutex = thread.mutex { write(mutex) }
      if let call = thread.call { json.string("call", call) }
      if thread.isUnread { json.boolean("unread", true) }
      if !thread.stack.isEmpty { json.list("stack", thread.stack) { writePlace($0 &- 1) } }
      if let gap = thread.stackGap { json.string("stackEnds", gap.text) }
    }
  }

  private func write(_ wait: WaitView) {
    json.object("waits") {
      json.string("kind", wait.kind.noun)
      json.address("object", wait.object)
      if let name = LockNames.nameSoon(of: wait.object) { json.string("name", name) }
      json.seconds("seconds", Double(now &- min(now, wait.since)) / 1e9)
      json.boolean("limited", wait.isTimed)
      json.string("because", wait.end.word)
      json.list("for", wait.end.threads) { json.number($0) }
    }
  }

  private func write(_ mutex: ForeignMutex) {
    json.object("waits") {
      json.string("kind", WaitKind.foreignMutex.noun)
      json.address("object", mutex.address)
      json.boolean("limited", false)
      json.string("because", "held")
      json.list("for", [mutex.owner]) { json.number($0) }
    }
  }

  /// `image+0xdistance`, the image by its number; an address alone where it lies in none.
  private func writePlace(_ address: UInt) {
    guard let place = images.place(of: address) else { return json.string("0x\(String(address, radix: 16))") }
    let number = numbers[place.image] ?? paths.count
    if number == paths.count {
      numbers[place.image] = number
      paths.append(place.image)
    }
    json.string("\(number)+0x\(String(place.offset, radix: 16))")
  }

  // MARK: queues and pools

  private func write(_ queue: InspectedQueue) {
    json.object {
      json.address("queue", queue.address)
      json.string("label", queue.label)
      json.string("kind", queue.kind)
      json.string("class", queue.qos)
      json.number("pending", queue.pending)
      json.number("done", queue.done)
      if queue.owner != 0 { json.number("owner", queue.owner) }
      if queue.running > 0 { json.number("running", queue.running) }
      if queue.limit > 0 { json.number("limit", queue.limit) }
      if queue.suspended > 0 { json.number("suspended", queue.suspended) }
      if queue.isInactive { json.boolean("inactive", true) }
      if queue.target != 0 { json.address("target", queue.target) }
      if let urgent = queue.urgent {
        json.object("urgent") {
          json.string("class", urgent.qos)
          json.number("behind", urgent.behind)
        }
      }
      if !queue.next.isEmpty {
        json.list("next", queue.next) { item in
          json.object {
            json.string("kind", item.kind)
            json.list("function", item.places, writePlace)
          }
        }
      }
      if let oldest = queue.oldest { json.seconds("oldest", oldest) }
      if let waited = queue.waited {
        json.seconds("p50", waited.half)
        json.seconds("p95", waited.most)
      }
    }
  }

  private func write(_ timer: InspectedTimer) {
    json.object {
      json.string("kind", timer.kind)
      json.seconds("due", timer.due)
      json.address("queue", timer.queue)
      if let item = timer.item { json.list("function", item.places, writePlace) }
    }
  }

  private func write(_ descriptor: InspectedDescriptor) {
    json.object {
      json.number("descriptor", descriptor.number)
      json.string("for", descriptor.direction)
      if !descriptor.label.isEmpty { json.string("label", descriptor.label) }
    }
  }

  private func write(_ pool: InspectedPool) {
    json.object {
      json.string("name", pool.name)
      json.number("threads", pool.threads)
      json.number("running", pool.running)
      json.number("idle", pool.idle)
      json.number("limit", pool.limit)
      json.list("workers", pool.workers) { worker in
        json.object {
          json.number("thread", worker.thread)
          json.string("state", worker.state)
        }
      }
    }
  }
}

extension InspectedThread {
  fileprivate var stateWord: String {
    switch state {
    case "R": "runs"
    case "S": "sleeps"
    case "D": "sleeps in the kernel"
    case "T", "t": "is stopped"
    case "Z", "X": "has ended"
    default: "\(state)"
    }
  }
}
