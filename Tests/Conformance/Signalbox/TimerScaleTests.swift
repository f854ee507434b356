// TimerScaleTests.swift: many timers at once: on one instant, in any order, cancelled in a storm, behind a suspended queue.
import Testing

extension Conformance {
  @Suite("Many timers") struct TimerScale {
    @Test("Twenty thousand delays on one instant run once each; with us in the order they were asked for")
    func oneInstant() async {
      await isolated {
        let queue = DispatchQueue(label: "instant")
        let log = Shared<[Int]>([])
        let done = Gate()
        let deadline = DispatchTime.now() + .milliseconds(150)
        for number in 0..<20_000 {
          queue.asyncAfter(deadline: deadline) {
            expect(number > 0 || Clock.uptime >= deadline.uptimeNanoseconds, "early")
            log.value.append(number)
            if log.value.count == 20_000 { done.open() }
          }
        }
        let isOrdered = engineIsOurs && DispatchTime.now() < deadline
        done.wait()
        expect((isOrdered ? log.value : log.value.sorted()) == Array(0..<20_000), "lost, repeated or out of order")
      }
    }

    @Test("A thousand timers that are cancelled never fire, and each calls its cancel handler; others are not disturbed")
    func cancelStorm() async {
      await isolated {
        let queue = DispatchQueue(label: "storm")
        let (ended, fired, kept) = (DispatchGroup(), Counter(), Gate())
        let timers = (0..<1_000).map { number in
          let timer = DispatchSource.makeTimerSource(queue: queue)
          timer.schedule(deadline: .now() + .seconds(60) + .microseconds(number * 7_919 % 1_000), repeating: .seconds(1))
          timer.setEventHandler { fired.add() }
          ended.enter()
          timer.setCancelHandler { ended.leave() }
          timer.activate()
          return Shared(timer)
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(20)) { kept.open() }
        onThreads(4) { thread in for index in stride(from: thread, to: 1_000, by: 4) { timers[index].value.cancel() } }
        expect(ended.wait(timeout: .now() + .seconds(patience)) == .success, "not all have ended")
        kept.wait()
        expectEqual(fired.value, 0)
      }
    }

    @Test("Timers whose queue is suspended do not delay another, and come when it is resumed")
    func behindSuspension() async {
      await isolated {
        let (held, free) = (DispatchQueue(label: "held"), DispatchQueue(label: "free"))
        let ran = Counter()
        held.suspend()
        for _ in 0..<5_000 { held.asyncAfter(deadline: .now() + .milliseconds(1)) { ran.add() } }
        let timer = DispatchSource.makeTimerSource(queue: free)
        let ticks = Counter()
        timer.setEventHandler { ticks.add() }
        timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        timer.activate()
        expectEventually("twenty ticks") { ticks.value >= 20 }
        expectEqual(ran.value, 0)
        timer.cancel()
        held.resume()
        expectEventually("all held ones") { ran.value == 5_000 }
      }
    }

    @Test("Timers set, suspended, resumed and cancelled from several threads on both clocks all end")
    func storm() async {
      await isolated {
        let ended = DispatchGroup()
        onThreads(4) { thread in
          for round in 0..<60 {
            let timer = DispatchSource.makeTimerSource(queue: round % 2 == 0 ? nil : DispatchQueue(label: "storm"))
            let shared = Shared(timer)
            ended.enter()
            timer.setCancelHandler { ended.leave() }
            timer.setEventHandler {}
            timer.activate()
            for step in 0..<5 {
              let later = DispatchTimeInterval.microseconds(step * 40)
              if (round + step) % 3 == 0 {
                timer.schedule(wallDeadline: .now() + later, repeating: .microseconds(30))
              } else {
                timer.schedule(deadline: .now() + later, repeating: step % 2 == 0 ? .never : .microseconds(30))
              }
              if step == 2 {
                timer.suspend()
                DispatchQueue.global().async { shared.value.resume() }
              }
            }
            DispatchQueue.global().async { shared.value.cancel() }
          }
        }
        expect(ended.wait(timeout: .now() + .seconds(patience)) == .success, "not all have ended")
      }
    }
  }
}
