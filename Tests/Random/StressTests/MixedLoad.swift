// MixedLoad.swift: all kinds of objects at once in one process for as long as asked, on processors that come and go, and with a share of
// processor time that changes: what the process holds stays the same.
import EventPlays
import Glibc
import SignalboxTestSupport
import Testing

extension StressTests {
  @Suite("Mixed load for a long time", .serialized) struct MixedLoad {
    /// What the process holds when nothing is under way.
    private struct Holding: CustomStringConvertible {
      let heap: Int
      let descriptors: Int
      let threads: Int
      static var now: Holding {
        Holding(heap: allocatedBytes(), descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"))
      }
      private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
      }
      var description: String { "\(heap >> 10) KiB of heap, \(descriptors) descriptors, \(threads) threads" }
    }

    private typealias SetAffinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32
    private static let setAffinity = unsafeBitCast(dlsym(nil, "sched_setaffinity")!, to: SetAffinity.self)

    /// Lets every thread of the process run on some of the processors only, others each time.
    private static func changeProcessors(_ random: inout SeededRandom) {
      let count = max(1, sysconf(Int32(_SC_NPROCESSORS_CONF)))
      var mask = [UInt64](repeating: 0, count: 16)
      for number in 0..<count where random.once(in: 2) { mask[number / 64] |= 1 << UInt64(number % 64) }
      if mask.allSatisfy({ $0 == 0 }) { for number in 0..<count { mask[number / 64] |= 1 << UInt64(number % 64) } }
      guard let folder = opendir("/proc/self/task") else { return }
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard let thread = pid_t(name) else { continue }
        // A thread that has ended meanwhile, or processors that this process may not use: another set comes soon.
        _ = mask.withUnsafeMutableBytes { setAffinity(thread, $0.count, $0.baseAddress!) }
      }
    }

    private static let mostKept = 512

    @Test("Memory, descriptors and threads stay flat", .enabled(if: Settings.mixedSeconds != nil))
    func flat() {
      let seconds = Settings.mixedSeconds ?? 0
      var random = SeededRandom(Settings.seed ?? UInt64(getpid()) &* 1_000_003)
      let first = random.next()
      Settings.tell("mixed load for \(seconds) s: seed \(first)")
      random = SeededRandom(first)
      // Of a long run every second, fourth, ... round is kept: what is measured does not grow by the measuring.
      var held: [Holding] = [], rounds = 0, stride = 1
      held.reserveCapacity(Self.mostKept)
      let quota = ProcessorQuota()
      if quota == nil { Settings.tell("no control group can be made here: the share of processor time stays as it is") }
      var limits = 0
      let end = Self.uptime() + seconds
      while Self.uptime() < end || rounds < 16 {
        let (world, play) = (random.next(), random.next())
        let faults = Failures()
        let isOver = Tally()
        let weather = random.fork()
        let threads = [
          Thread { for line in Round.run(seed: world, steps: 200) { faults.add("world \(world): \(line)") } },
          Thread { for line in runEventPlay(eventPlayBytes(seed: play, count: 300)) { faults.add("play \(play): \(line)") } },
        ]
        let changer = Thread {
          var weather = weather
          while isOver.value == 0 {
            Self.changeProcessors(&weather)
            sleepPlainly(microseconds: 20_000)  // the weather changes fifty times a second
          }
        }
        // A round now and then has a quarter of a processor, a half, or one and a half.
        let percent = random.once(in: 4) ? [25, 50, 150][Int(random.next() % 3)] : nil
        if quota?.set(percent: percent) == true, percent != nil { limits += 1 }
        for thread in threads { thread.join() }
        isOver.add()
        changer.join()
        rounds += 1
        if rounds % stride == 0 { held.append(.now) }
        if held.count == Self.mostKept {
          for index in 0..<held.count / 2 { held[index] = held[2 * index + 1] }
          held.removeLast(held.count / 2)
          stride *= 2
        }
        #expect(faults.all.isEmpty, "\(faults.all.joined(separator: "\n  "))")
        if rounds % 50 == 0 { Settings.tell("round \(rounds): \(Holding.now)") }
      }
      let quarter = held.count / 4
      let (early, late) = (held[quarter..<2 * quarter], held[(3 * quarter)...])
      func most(_ part: ArraySlice<Holding>, _ value: (Holding) -> Int) -> Int { part.map(value).max()! }
      let text = "\(rounds) rounds, \(limits) of them with less processor time; early: \(early.last!); late: \(late.last!)"
      Settings.tell(text)
      #expect(most(late, \.heap) <= most(early, \.heap) * 21 / 20 + 4 << 20, "\(text)")
      #expect(most(late, \.descriptors) <= most(early, \.descriptors), "\(text)")
      #expect(most(late, \.threads) <= 100, "\(text)")
    }

    private static func uptime() -> Int {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return now.tv_sec
    }
  }
}
