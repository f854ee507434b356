// IOSuspensionTests.swift: channels as dispatch objects: suspension, target queues, misuse.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Channels can be suspended and retargeted", .serialized) struct IOSuspensionTests {
  @Test("A suspended channel starts nothing and calls nobody, and does so in order when it is resumed")
  func suspended() {
    let file = IOFile(count: 100)
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let channel = ends.channel(.stream, number)
    channel.suspend()
    channel.suspend()
    let first = IOCalls.read(channel, 0, 10), second = IOCalls.read(channel, 0, 10)
    let barrier = Count()
    channel.barrier { barrier.add() }
    channel.close()
    channel.resume()
    waitForWhatMustNotCome()
    #expect(first.calls == [] && second.calls == [] && barrier.value == 0 && ends.seen == [])
    channel.resume()
    #expect(first.wait() == [IOCall(true, 10)] && first.bytes == IOFile.pattern(0..<10))
    #expect(second.wait() == [IOCall(true, 10)] && second.bytes == IOFile.pattern(10..<20))
    #expect(eventually { barrier.value == 1 })
    #expect(ends.wait() == [0])
    close(number)
  }

  /// Two threads: one resumes, and what is due on the other meanwhile waits behind what was held.
  @Test("Calls that become due while held calls are delivered come after them")
  func overtaking() {
    let pipe = IOPipe()
    let channel = IOChannel(.stream, pipe.output, nil)
    let order = EventLog<Int>()
    let (isInside, isPast, resumed) = (Count(), Count(), Count())
    channel.suspend()
    channel.afterResuming {
      isInside.add()
      _ = eventually { isPast.value == 1 }
      order.add(1)
    }
    channel.afterResuming { order.add(2) }
    let resuming = startThread { if channel.resume() { resumed.add() } }
    #expect(eventually { isInside.value == 1 })
    channel.afterResuming { order.add(3) }
    isPast.add()
    pthread_join(resuming, nil)
    #expect(resumed.value == 1)
    #expect(order.all == [1, 2, 3])
    #expect(!channel.isSuspended && !channel.holdsBack)
    channel.close(stops: false)
  }

  @Test("When a channel is suspended again while held calls are delivered, the rest waits for the next resume")
  func suspendedAgain() {
    let pipe = IOPipe()
    let channel = IOChannel(.stream, pipe.output, nil)
    let order = EventLog<Int>()
    channel.suspend()
    channel.afterResuming {
      order.add(1)
      channel.suspend()
    }
    channel.afterResuming { order.add(2) }
    #expect(channel.resume())
    #expect(order.all == [1] && channel.isSuspended)
    #expect(channel.resume())
    #expect(order.all == [1, 2] && !channel.holdsBack)
    #expect(!channel.resume())
    channel.close(stops: false)
  }

  @Test("What was read before a channel was suspended in the middle waits for the resume")
  func suspendedMeanwhile() {
    let pipe = IOPipe()
    let ends = IOEnds()
    let channel = ends.channel(.stream, pipe.output)
    channel.setLimit(lowWater: 1)
    let reading = IOCalls.read(channel, 0, 4)
    pipe.put([1, 2])
    #expect(eventually { reading.count == 2 })
    channel.suspend()
    pipe.put([3, 4])
    #expect(eventually { pipe.count == 0 })
    waitForWhatMustNotCome()
    #expect(reading.count == 2)
    channel.resume()
    #expect(reading.wait().last == IOCall(true, 2))
    #expect(reading.bytes == [1, 2, 3, 4])
    channel.close()
    #expect(ends.wait() == [0])
  }

  @Test("Barriers run on the global queue that the target leads to")
  func target() {
    let file = IOFile(count: 100)
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let channel = ends.channel(.stream, number)
    let inner = DispatchQueue(label: "inner", target: .global(qos: .utility))
    channel.setTarget(queue: DispatchQueue(label: "outer", target: inner))
    let isRight = Count(2)
    channel.barrier { isRight.value = DispatchQueue.current === DispatchQueue.global(qos: .utility) ? 1 : 0 }
    #expect(eventually { isRight.value != 2 })
    #expect(isRight.value == 1)
    channel.setTarget(queue: .main)
    isRight.value = 2
    channel.barrier { isRight.value = DispatchQueue.current === DispatchQueue.global() ? 1 : 0 }
    #expect(eventually { isRight.value == 1 })
    channel.close()
    #expect(ends.wait() == [0])
    close(number)
  }

  @Test("Freeing a suspended channel stops the program, and the message names the channel")
  func freedWhileSuspended() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      DispatchIO(type: .stream, fileDescriptor: 0, queue: .global()) { _ in }.suspend()
    }
    expectStop(result, saying: "misuse: the I/O channel on descriptor 0 is freed while suspended: balance every suspend()")
  }

  @Test("Resuming a channel too often stops the program, and the message names the channel")
  func resumedTooOften() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      DispatchIO(type: .stream, fileDescriptor: 0, queue: .global()) { _ in }.resume()
    }
    expectStop(result, saying: "misuse: the I/O channel on descriptor 0 is resumed more often than suspended")
  }
}
