// TimeTests.swift: arithmetic with times and intervals, to the edges. Sleeping by them is in AsyncAfterTests.swift.
import Glibc
import Testing

extension Conformance {
  @Suite("Time") struct Time {
    private let second = DispatchTime(uptimeNanoseconds: 1_000_000_000)
    private let wall = DispatchWallTime(timespec: timespec(tv_sec: 1000, tv_nsec: 5))

    @Test("Now is what the uptime clock says, and goes on")
    func now() {
      let before = Clock.uptime
      let now = DispatchTime.now()
      let after = Clock.uptime
      #expect(before <= now.uptimeNanoseconds && now.uptimeNanoseconds <= after)
      #expect(DispatchTime.now() >= now)
      #expect(DispatchTime.now() < .distantFuture)
      #expect(DispatchWallTime.now() < .distantFuture)
      #expect(DispatchWallTime.now() < DispatchWallTime.now() + 1)
    }

    @Test("Nanoseconds of uptime come back as they were given")
    func uptimeRoundTrip() {
      for nanoseconds: UInt64 in [1, 999, 1_000_000_000, 1 << 40, (1 << 62) - 1] {
        #expect(DispatchTime(uptimeNanoseconds: nanoseconds).uptimeNanoseconds == nanoseconds)
      }
    }

    @Test("An interval of any unit moves a time by that much, forth and back")
    func intervals() {
      #expect((second + .seconds(2)).uptimeNanoseconds == 3_000_000_000)
      #expect((second + .milliseconds(2)).uptimeNanoseconds == 1_002_000_000)
      #expect((second + .microseconds(2)).uptimeNanoseconds == 1_000_002_000)
      #expect((second + .nanoseconds(2)).uptimeNanoseconds == 1_000_000_002)
      #expect((second - .milliseconds(2)).uptimeNanoseconds == 998_000_000)
      #expect((second - .microseconds(2)).uptimeNanoseconds == 999_998_000)
      #expect((second - .nanoseconds(2)).uptimeNanoseconds == 999_999_998)
      #expect((second + .milliseconds(-2)).uptimeNanoseconds == 998_000_000)
      #expect((second - .milliseconds(-2)).uptimeNanoseconds == 1_002_000_000)
    }

    @Test("Seconds as a number move a time by that much, cut to whole nanoseconds")
    func seconds() {
      #expect((second + 0.5).uptimeNanoseconds == 1_500_000_000)
      #expect((second - 0.5).uptimeNanoseconds == 500_000_000)
      #expect((second + -0.5).uptimeNanoseconds == 500_000_000)
      #expect(second + 0.0 == second)
      #expect(second + 1e-10 == second)
      #expect((second + 1.9e-9).uptimeNanoseconds == 1_000_000_001)
      #expect((second - 1.9e-9).uptimeNanoseconds == 999_999_999)
    }

    @Test("Beyond the end of time lies the distant future")
    func saturationUpwards() {
      let moved = [
        second + .never, second + .seconds(.max), second + .milliseconds(.max), second + .nanoseconds(.max),
        second + .infinity, second + 1e300, second + 1e10, second - -Double.infinity,
      ]
      for time in moved { #expect(time == .distantFuture) }
    }

    @Test("Before the beginning of time lies its first nanosecond")
    func saturationDownwards() {
      let moved = [
        second - .never, second + .seconds(.min), second + .milliseconds(.min), second + .nanoseconds(.min),
        second - .nanoseconds(.max), second - .seconds(1), second - .seconds(2), second - .infinity, second + -1e300,
      ]
      for time in moved { #expect(time.uptimeNanoseconds == 1) }
    }

    @Test("No number moves a time to the distant future, whichever way")
    func notANumber() {
      #expect(second + .nan == .distantFuture)
      #expect(second - .nan == .distantFuture)
      #expect(wall + .nan == .distantFuture)
    }

    @Test("The distant future stays where it is")
    func distantFuture() {
      let moved = [
        DispatchTime.distantFuture + 1, .distantFuture - 1.0, .distantFuture + .seconds(1), .distantFuture - .seconds(1),
        .distantFuture - .never,
      ]
      for time in moved { #expect(time == .distantFuture) }
      for time in [DispatchWallTime.distantFuture + 1, .distantFuture - .seconds(1)] { #expect(time == .distantFuture) }
    }

    // The toolchain's library negates the amount first and stops the program with an overflow.
    @Test("Taking away the longest negative interval saturates", .enabled(if: subjectIsOurs))
    func smallestInterval() {
      #expect(second - .nanoseconds(.min) == .distantFuture)
      #expect(second - .seconds(.min) == .distantFuture)
      #expect(wall - .nanoseconds(.min) == .distantFuture)
    }

    @Test("Wall times add, take away and saturate like uptimes")
    func wallArithmetic() {
      func time(_ seconds: Int, _ nanoseconds: Int) -> DispatchWallTime {
        DispatchWallTime(timespec: timespec(tv_sec: seconds, tv_nsec: nanoseconds))
      }
      #expect(wall + 1 == time(1001, 5))
      #expect(wall + .seconds(1) == time(1001, 5))
      #expect(wall - .seconds(1) == time(999, 5))
      #expect(wall + .milliseconds(1) == time(1000, 1_000_005))
      #expect(wall - .nanoseconds(5) == time(1000, 0))
      #expect(wall - 0.5 == time(999, 500_000_005))
      for moved in [wall + .never, wall + .seconds(.max), wall + .infinity] { #expect(moved == .distantFuture) }
      for moved in [wall - .never, wall - .seconds(2000), wall + .seconds(.min), wall - .infinity] {
        #expect(moved.rawValue == UInt64.max - 1)
      }
    }

    @Test("Times compare by when they are")
    func comparison() {
      #expect(second < second + 1)
      #expect(!(second < second))
      #expect(second > second - .nanoseconds(1))
      #expect(second <= second && second >= second)
      #expect(second < .distantFuture)
      #expect(wall < wall + 1)
      #expect(!(wall + 1 < wall))
      #expect(wall < .distantFuture)
      #expect([second + 2, second, second + 1].sorted() == [second, second + 1, second + 2])
      #expect([wall + 2, wall, wall + 1].sorted() == [wall, wall + 1, wall + 2])
    }

    @Test("Intervals are equal when they last equally long, in whatever unit")
    func intervalEquality() {
      #expect(DispatchTimeInterval.seconds(1) == .milliseconds(1000))
      #expect(DispatchTimeInterval.microseconds(1) == .nanoseconds(1000))
      #expect(DispatchTimeInterval.seconds(1) != .milliseconds(1001))
      #expect(DispatchTimeInterval.never == .never)
      #expect(DispatchTimeInterval.never != .seconds(.max))
      #expect(DispatchTimeInterval.seconds(0) == .nanoseconds(0))
    }
  }
}
