// TimerScheduleTests.swift: schedules out of the ordinary: long past, never, tiny and endless intervals, leeways.
// Ordinary ones are in TimerTests.swift.
import Testing

extension Conformance {
  @Suite("Timer schedules") struct TimerSchedules {
    /// Runs a timer with the schedule that `set` gives it until it has logged `count` events, or for a while; returns their data.
    /// The data of its events until there are this many; of those within a while, in which none may come, if no number is given.
    static func run(
      _ label: String, until count: Int? = nil, at location: SourceLocation = #_sourceLocation,
      _ set: (any DispatchSourceTimer) -> Void
    ) -> [UInt] {
      let logged = Timers.Logged(DispatchQueue(label: label))
      set(logged.timer)
      logged.timer.activate()
      if let count { logged.log.wait(count: count, at: location) } else { waitForWhatMustNotCome() }
      logged.end()
      return logged.log.entries.map(\.data)
    }

    @Test("Points that have passed before the start was set count, on the grid of the start")
    func past() async {
      await isolated {
        let start = DispatchTime.now() - .milliseconds(35)
        let data = Self.run("past", until: 3) { $0.schedule(deadline: start, repeating: .milliseconds(10)) }
        expect(data[0] >= 4, "\(data)")
        let wall = DispatchWallTime.now() - .milliseconds(35)
        let wallData = Self.run("wall past", until: 3) { $0.schedule(wallDeadline: wall, repeating: .milliseconds(10)) }
        expect(wallData[0] >= 4, "\(wallData)")
        expectEqual(Self.run("past once", until: 1) { $0.schedule(deadline: start) }, [1])
      }
    }

    @Test("The time since boot can be counted, and the zero time is now")
    func boot() async {
      await isolated {
        let data = Self.run("boot", until: 1) {
          $0.schedule(deadline: DispatchTime(uptimeNanoseconds: 1), repeating: .milliseconds(10))
        }
        expect(data[0] >= UInt((Clock.uptime - 1_000_000_000) / 10_000_000), "\(data)")
        let zero = Self.run("zero", until: 1) {
          $0.schedule(deadline: DispatchTime(uptimeNanoseconds: 0), repeating: .seconds(3_600))
        }
        expectEqual(zero, [1])
      }
    }

    @Test("A start in the distant future never comes, on either clock; nor does one that was not given")
    func never() async {
      await isolated {
        expectEqual(Self.run("future") { $0.schedule(deadline: .distantFuture, repeating: .milliseconds(1)) }, [])
        expectEqual(Self.run("wall future") { $0.schedule(wallDeadline: .distantFuture, repeating: .milliseconds(1)) }, [])
        expectEqual(Self.run("none") { _ in }, [])
      }
    }

    @Test("An interval that is longer than time fires once")
    func endless() async {
      await isolated {
        for interval in [DispatchTimeInterval.never, .seconds(.max), .nanoseconds(.max), .seconds(1 << 40)] {
          expectEqual(Self.run("endless", until: 1) { $0.schedule(deadline: .now(), repeating: interval) }, [1])
        }
        expectEqual(Self.run("infinite", until: 1) { $0.schedule(deadline: .now(), repeating: .infinity) }, [1])
        expectEqual(Self.run("once", until: 1) { $0.schedule(deadline: .now()) }, [1])
        expectEqual(Self.run("wall once", until: 1) { $0.schedule(wallDeadline: .now()) }, [1])
      }
    }

    @Test("Tiny intervals count every point that passes, zero as one nanosecond; other items have their turns")
    func tiny() async {
      await isolated {
        for interval in [0, 1, 1_000] {
          let queue = DispatchQueue(label: "tiny")
          let logged = Timers.Logged(queue)
          let start = DispatchTime.now()
          logged.timer.schedule(deadline: start, repeating: .nanoseconds(interval))
          logged.timer.activate()
          logged.log.wait(count: 20)
          queue.sync {}
          logged.end()
          func passed(before event: Timers.Event) -> UInt {
            UInt((event.at - start.uptimeNanoseconds) / UInt64(max(1, interval)))
          }
          let events = logged.log.entries
          expect(logged.count <= passed(before: events[events.count - 1]) + 1, "counted a point before it came")
          // A handler may be kept from the clock for any time after its data was taken, so the event before is the measure.
          let due = passed(before: events[events.count - 2])
          expect(logged.count >= due / 2, "\(logged.count) of \(due)")
        }
      }
    }

    @Test("Seconds may be fractions")
    func fractions() async {
      await isolated {
        let start = DispatchTime.now()
        let logged = Timers.Logged(DispatchQueue(label: "fractions"))
        logged.timer.schedule(deadline: start, repeating: 0.004)
        logged.timer.activate()
        logged.log.wait(count: 5)
        logged.end()
        // All events are counted, so it is the last one that may not have come too early.
        let last = logged.log.entries[logged.log.count - 1]
        expect(last.at >= start.uptimeNanoseconds + 4_000_000 * UInt64(logged.count - 1), "early")
        let wall = Self.run("wall fractions", until: 4) { $0.schedule(wallDeadline: .now(), repeating: 0.002) }
        expect(wall.count >= 4)
        let zero = Self.run("zero seconds", until: 4) { $0.schedule(deadline: .now(), repeating: 0.0) }
        expect(zero.count >= 4)
      }
    }

    @Test("With a leeway a timer fires not before its deadline, and all points come", arguments: [0, 1, 4, 20, 1_000_000])
    func leeway(milliseconds: Int) async {
      await isolated {
        let logged = Timers.Logged(DispatchQueue(label: "leeway"))
        let start = DispatchTime.now() + .milliseconds(2)
        logged.timer.schedule(
          deadline: start, repeating: .milliseconds(4), leeway: .milliseconds(min(milliseconds, 100)))
        logged.timer.activate()
        logged.log.wait(count: 8)
        logged.end()
        var points: UInt64 = 0
        for event in logged.log.entries {
          points += UInt64(event.data)
          expect(event.at >= start.uptimeNanoseconds + (points - 1) * 4_000_000, "early")
        }
      }
    }

    @Test("A leeway without limit does not keep a timer from firing")
    func unlimitedLeeway() async {
      await isolated {
        expectEqual(Self.run("never", until: 1) { $0.schedule(deadline: .now() + .milliseconds(1), leeway: .never) }, [1])
        expectEqual(Self.run("max", until: 1) { $0.schedule(deadline: .now(), leeway: .nanoseconds(.max)) }, [1])
      }
    }

    @available(*, deprecated, message: "names that are deprecated, tested")
    static func older(_ timer: any DispatchSourceTimer, _ form: Int) {
      switch form {
      case 0: timer.scheduleOneshot(deadline: .now())
      case 1: timer.scheduleOneshot(wallDeadline: .now(), leeway: .milliseconds(1))
      case 2: timer.scheduleRepeating(deadline: .now(), interval: .seconds(3_600))
      case 3: timer.scheduleRepeating(deadline: .now(), interval: 3_600, leeway: .milliseconds(1))
      case 4: timer.scheduleRepeating(wallDeadline: .now(), interval: .seconds(3_600))
      default: timer.scheduleRepeating(wallDeadline: .now(), interval: 3_600)
      }
    }

    private protocol Older { static func older(_ timer: any DispatchSourceTimer, _ form: Int) }
    private struct Forms: Older {
      @available(*, deprecated)
      static func older(_ timer: any DispatchSourceTimer, _ form: Int) { TimerSchedules.older(timer, form) }
    }

    @Test("The older names do what the newer ones do", arguments: 0..<6)
    func olderNames(form: Int) async {
      await isolated {
        // By the protocol, which is not deprecated: no warning.
        let forms: any Older.Type = Forms.self
        expectEqual(Self.run("older", until: 1) { forms.older($0, form) }, [1])
      }
    }
  }
}
