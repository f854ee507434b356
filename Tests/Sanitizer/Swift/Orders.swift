// Orders.swift: cases without a race: one promised order each of Dispatch's, of those that no submission gives.
import Glibc
import Synchronization

private let key = DispatchSpecificKey<State>()

private func begins(_ queue: DispatchQueue, _ begin: () -> Void) {
  queue.async(execute: countAndTell)
  state.count += 1
  begin()
  done.wait()
}

private func arrives(_ source: any DispatchSourceProtocol, _ merge: () -> Void) {
  source.setEventHandler(handler: countAndTell)
  source.activate()
  state.count += 1
  merge()
  done.wait()
}

/// A pipe's ends.
private func makePipe() -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [0, 0]
  precondition(pipe(&ends) == 0)
  return (ends[0], ends[1])
}

let orderCases = [
  Case("activated") {
    let queue = DispatchQueue(label: "later", attributes: .initiallyInactive)
    begins(queue) { queue.activate() }
  },
  Case("activated-concurrent") {
    let queue = DispatchQueue(label: "later", attributes: [.concurrent, .initiallyInactive])
    begins(queue) { queue.activate() }
  },
  Case("activated-target") {
    let target = DispatchQueue(label: "later", attributes: .initiallyInactive)
    begins(DispatchQueue(label: "above", target: target)) { target.activate() }
  },
  Case("resumed") {
    let queue = DispatchQueue(label: "suspended", attributes: .concurrent)
    queue.suspend()
    begins(queue) { queue.resume() }
  },
  Case("target-set") {
    let queue = DispatchQueue(label: "later", attributes: .initiallyInactive)
    doElsewhere {
      state.count += 1
      queue.setTarget(queue: .global(qos: .utility))
    }
    queue.async(execute: countAndTell)
    queue.activate()
    done.wait()
  },
  Case("value-of-queue") {
    let queue = DispatchQueue(label: "with a value")
    doElsewhere {
      let value = State()
      value.count = 1
      state.count += 1
      queue.setSpecific(key: key, value: value)
    }
    if let value = queue.getSpecific(key: key) { state.count += value.count }
    queue.sync { if let value = DispatchQueue.getSpecific(key: key) { state.count += value.count } }
  },
  Case("synchronous") {
    let queue = DispatchQueue(label: "serial")
    for _ in 0..<10 {
      doElsewhere { queue.sync { state.count += 1 } }
      queue.sync(execute: DispatchWorkItem { state.count += 1 })
    }
  },
  Case("later") {
    state.count += 1
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1), execute: countAndTell)
    done.wait()
    DispatchQueue.global().asyncAfter(wallDeadline: .now(), execute: DispatchWorkItem(block: countAndTell))
    done.wait()
  },

  // Work items.
  Case("item-follows-item") {
    let first = DispatchWorkItem { state.count += 1 }
    state.count += 1
    first.notify(queue: .global(), execute: DispatchWorkItem(block: countAndTell))
    DispatchQueue.global().async(execute: first)
    done.wait()
  },
  Case("item-performed") {
    let item = DispatchWorkItem { state.count += 1 }, shared = Shared(item)
    item.notify(queue: .global(), execute: countAndTell)
    doElsewhere { shared.object.perform() }
    item.wait()
    done.wait()
    state.count += 1
  },
  Case("item-cancelled") {
    let item = DispatchWorkItem { fatalError() }, shared = Shared(item)
    item.cancel()
    doElsewhere {
      state.count += 1
      DispatchQueue.global().async(execute: shared.object)
    }
    item.wait()
    state.count += 1
  },
  Case("item-waited-for-in-time") {
    let item = DispatchWorkItem { state.count += 1 }
    DispatchQueue.global().async(execute: item)
    while item.wait(timeout: .now()) == .timedOut { sched_yield() }
    state.count += 1
  },

  // Groups and semaphores.
  Case("group-left") {
    let group = DispatchGroup()
    group.enter()
    group.notify(queue: .global(), execute: countAndTell)
    group.notify(queue: .global(), work: DispatchWorkItem { done.signal() })
    doElsewhere {
      state.count += 1
      group.leave()
    }
    done.wait()
    done.wait()
    while group.wait(timeout: .now()) == .timedOut { sched_yield() }
    state.count += 1
  },
  Case("semaphore-in-time") {
    let semaphore = DispatchSemaphore(value: 0)
    doElsewhere {
      state.count += 1
      semaphore.signal()
    }
    while semaphore.wait(timeout: .now()) == .timedOut { sched_yield() }
    state.count += 1
  },

  // Sources.
  Case("source-activated") {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now())
    timer.setEventHandler(handler: countAndTell)
    state.count += 1
    timer.activate()
    done.wait()
  },
  Case("source-registered") {
    let source = DispatchSource.makeUserDataAddSource(queue: .global())
    source.setRegistrationHandler(handler: countAndTell)
    state.count += 1
    source.activate()
    done.wait()
  },
  Case("source-resumed") {
    let source = DispatchSource.makeUserDataAddSource(queue: .global())
    source.setEventHandler(handler: countAndTell)
    source.add(data: 1)
    state.count += 1
    source.resume()
    done.wait()
  },
  Case("data-added") {
    let source = DispatchSource.makeUserDataAddSource(queue: .global())
    arrives(source) { source.add(data: 1) }
  },
  Case("data-combined") {
    let source = DispatchSource.makeUserDataOrSource(queue: .global())
    arrives(source) { source.or(data: 1) }
  },
  Case("data-replaced") {
    let source = DispatchSource.makeUserDataReplaceSource(queue: .global())
    arrives(source) { source.replace(data: 1) }
  },
  Case("timer-scheduled-late") {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    arrives(timer) { timer.schedule(deadline: .now()) }
  },
  Case("bytes-read") {
    let (reading, writing) = makePipe()
    let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
    source.setEventHandler {
      var byte: UInt8 = 0
      if read(reading, &byte, 1) == 1 { source.cancel() }
      state.count += 1
    }
    source.setCancelHandler {
      close(reading)
      countAndTell()
    }
    source.activate()
    state.count += 1
    precondition(write(writing, "x", 1) == 1)
    done.wait()
  },
  Case("source-cancelled") {
    let source = DispatchSource.makeUserDataAddSource(queue: .global()), shared = Shared(source)
    source.setCancelHandler(handler: countAndTell)
    source.activate()
    doElsewhere {
      state.count += 1
      shared.object.cancel()
    }
    done.wait()
  },

  // Channels and data.
  Case("channels") {
    let (reading, writing) = makePipe()
    let channel = DispatchIO(type: .stream, fileDescriptor: reading, queue: .global()) { _ in
      close(reading)
      countAndTell()
    }
    channel.setLimit(lowWater: 1)
    channel.setLimit(highWater: 64)
    channel.barrier { state.count += 1 }
    channel.read(offset: 0, length: .max, queue: .global()) { isLast, data, error in
      state.count += Int(error) + (data?.count ?? 0)
      if isLast { channel.close() }
    }
    let bytes = [UInt8](repeating: 0, count: 4096)
    precondition(write(writing, bytes, bytes.count) == bytes.count)
    close(writing)
    done.wait()
  },
  Case("one-transfer") {
    let (reading, writing) = makePipe()
    let data = [UInt8](repeating: 0, count: 10).withUnsafeBytes { DispatchData(bytes: $0) }
    state.count += 1
    DispatchIO.write(toFileDescriptor: writing, data: data, runningHandlerOn: .global()) { _, _ in countAndTell() }
    done.wait()
    DispatchIO.read(fromFileDescriptor: reading, maxLength: 10, runningHandlerOn: .global()) { _, _ in countAndTell() }
    done.wait()
  },
]
