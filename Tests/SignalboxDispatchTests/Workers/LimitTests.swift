// LimitTests.swift: the pool is as wide as the process may keep processors busy: under a limit of its control group, and as that changes.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct LimitTests {
    /// Global items that compute, and how many do at once.
    final class Crowd: Sendable {
      private let stop = Count(), all = DispatchGroup()
      let inside = Count()
      /// Short ones, each of which submits the next: workers that are too many go between two of them.
      func feed(_ count: Int) { for _ in 0..<count { goOn() } }
      private func goOn() {
        DispatchQueue.global().async(group: all) { [self] in
          inside.add()
          let end = Clock.uptime() + milliseconds(1)
          while Clock.uptime() < end {}
          inside.add(~0)
          if stop.value == 0 { goOn() }
        }
      }
      func end() {
        stop.value = 1
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    /// How many workers the pool wants to run.
    static var width: Int { Int(Pool.shared.width.loadRelaxed()) }

    @Test("The pool's width follows the limit while the pool works, in both directions")
    func changes() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let root = FakeRoot(group: "/service")
        root.setMax("/service", "10000 100000\n")
        UsableProcessors.testsOnly_read(from: root.path)
        let most = Processors.available()
        #expect(Tuning.processors == 1)
        let crowd = Crowd()
        crowd.feed(8)
        #expect(eventually { crowd.inside.value == 1 } && LimitTests.width == 1)
        root.setMax("/service", "max 100000\n")
        #expect(eventually { LimitTests.width == most && Tuning.processors == most })
        #expect(eventually { crowd.inside.value == UInt64(most) })
        root.setMax("", "99000 100000\n")
        #expect(eventually { LimitTests.width == 1 && Tuning.processors == 1 })
        // Those that are too many go as their jobs end: 50 readings in a row find one alone.
        #expect(eventually { (0..<50).allSatisfy { _ in usleep(100) == 0 && crowd.inside.value <= 1 } })
        root.setMax("", "150000 100000\n")
        #expect(eventually { LimitTests.width == min(2, most) && crowd.inside.value == UInt64(min(2, most)) })
        crowd.end()
      }
    }

    @Test("An idle process reads no limit, and finds the new one once it works")
    func idle() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let root = FakeRoot(group: "/service")
        root.setQuota("/service", "-1\n", period: "100000\n")
        UsableProcessors.testsOnly_read(from: root.path)
        let most = Tuning.processors
        DispatchQueue.global().async {}
        #expect(most == Processors.available())
        root.setQuota("/service", "20000\n", period: "100000\n")
        sleepPlainly(milliseconds: 1_100)  // an idle process for longer than from one reading to the next
        #expect(Tuning.processors == most)
        let crowd = Crowd()
        crowd.feed(8)
        #expect(eventually { LimitTests.width == 1 && Tuning.processors == 1 })
        crowd.end()
      }
    }

    // MARK: a real group

    /// Where the first version's hierarchy for processors is; nil: there is none, or the test may make no group there.
    static let hierarchy: String? = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"].first { isWritable($0) }
    private static func isWritable(_ folder: String) -> Bool {
      let probe = "\(folder)/signalbox-probe-\(getpid())"
      guard mkdir(probe, 0o755) == 0 else { return false }
      defer { rmdir(probe) }
      return access(probe + "/cpu.cfs_quota_us", W_OK) == 0
    }

    static func put(_ text: String, _ path: String) -> Bool {
      let file = open(path, O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return false }
      defer { close(file) }
      return Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }

    /// Nanoseconds that processors have spent on this process.
    static var spent: UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Nanoseconds that processors have spent on the thread that samples the pool.
    static var spentBySampler: UInt64 {
      let threads = KernelThread.all().map { UInt64($0) }.filter { KernelThread.name($0) == "signalbox.pool" }
      return threads.compactMap { KernelThread.sample($0, withRunTime: true)?.runTime }.reduce(0, +)
    }

    /// Computes for so long, by the thread's own time: what others have of the processor is not counted.
    static func compute(milliseconds count: UInt64) {
      func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
      }
      let end = now() + milliseconds(count)
      while now() < end {}
    }

    @Test(
      "In a control group with a tenth of a processor, and with one and a half, there are as many workers as may compute, and no time is lost",
      .enabled(
        if: hierarchy != nil, "no control group of the first version can be made here: it takes root, and that hierarchy"),
      arguments: [(10_000, 1), (150_000, 2)])
    func realGroup(quota: Int, processors: Int) async {
      let group = "\(Self.hierarchy!)/signalbox-test-\(getpid())-\(quota)"
      #expect(mkdir(group, 0o755) == 0)
      defer { #expect(eventually { rmdir(group) == 0 || errno == ENOENT }) }
      #expect(Self.put("100000", group + "/cpu.cfs_period_us") && Self.put("\(quota)", group + "/cpu.cfs_quota_us"))
      await #expect(processExitsWith: .success) { [group = group as String, quota, processors] in
        beginMeasured(killAfter: 500)
        let most = Processors.available()
        #expect(LimitTests.put("\(getpid())", group + "/cgroup.procs"))
        #expect(Tuning.processors == min(most, processors))
        let all = DispatchGroup(), (items, each): (UInt64, UInt64) = quota < 100_000 ? (100, 2) : (600, 2)
        let (inside, widest) = (Count(), Count())
        let (start, before, sampledBefore) = (Clock.uptime(), LimitTests.spent, LimitTests.spentBySampler)
        for _ in 0..<items {
          DispatchQueue.global().async(group: all) {
            let now = inside.add()
            if now > widest.value { widest.value = now }
            LimitTests.compute(milliseconds: each)
            inside.add(~0)
          }
        }
        // A waiter computes nothing, and the pool may have one worker more than run, for a class whose items are long.
        #expect(all.wait(timeout: .now() + 150) == .success)
        let (took, used) = (Clock.uptime() - start, LimitTests.spent - before)
        let sampled = LimitTests.spentBySampler - sampledBefore
        #expect(widest.value <= UInt64(min(most, processors)) + 1, "\(widest.value) at once")
        // What is not the items' own work is little, but for a sanitizer's, and the limit is all that slows them down: as far as others leave it.
        let own = items * milliseconds(each)
        // The sampler's part grows with the time that passes. In a debug build it is 2 % of that, and counts up to 4 if it was spent.
        let sampler = max(took / 100, min(sampled, took / 25))
        #expect(
          ClockTimersTests.isSanitized || used <= own + own / 4 + sampler,
          "\(used) ns for \(own) in \(took), of which the sampler has \(sampled)")
        #expect(took >= own * 80_000 / UInt64(quota), "\(took) ns: the limit does not hold")
        // The limit is lifted while the process works.
        #expect(LimitTests.put("-1", group + "/cpu.cfs_quota_us"))
        let crowd = Crowd()
        crowd.feed(8)
        #expect(eventually { Tuning.processors == most && LimitTests.width == most })
        crowd.end()
      }
    }
  }
}
