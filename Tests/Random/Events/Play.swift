// Play.swift: one play from its first call to its last object: makes roles, steps them, brings them to their ends, takes stock.
import Glibc
import Signalbox

/// Plays the calls that `bytes` stand for: sources of every kind, timers, channels and data over a few queues. When nothing moves
/// any more, every promise must have been kept, and everything be free again.
///
/// A play that does not come to its end is described on standard error, and the process ended by SIGABRT.
///
/// - Returns: What was wrong; empty if nothing.
/// - Note: One play at a time: it counts the process's descriptors, and raises SIGUSR1 and SIGUSR2.
public func runEventPlay(_ bytes: [UInt8]) -> [String] { Play.run(bytes) }

/// One play: the roles that its bytes made so far.
final class Play {
  private let stage = Stage()
  private var roles: [any Role] = []
  private var made = 0
  private var script: Script
  private var ghosts: [Ghost] = []
  private struct Ghost { weak var object: AnyObject? }

  private init(_ bytes: [UInt8]) { script = Script(bytes) }

  /// Makes what the engine makes once, so that it does not count as left over.
  private static let warmUp: Void = {
    for number in [SIGPIPE, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    for seed in 1...24 as ClosedRange<UInt64> { _ = Play(eventPlayBytes(seed: seed, count: 160)).perform() }
  }()

  static func run(_ bytes: [UInt8]) -> [String] {
    warmUp
    let before = openDescriptors()  // the fuzzer opens some between plays
    let faults = Play(bytes).perform()
    Watch { "the descriptors \(openDescriptors()) are open, \(before) were before" }.wait {
      openDescriptors().count <= before.count
    }
    Watch { "\(entries("/proc/self/task").count) threads" }.wait { entries("/proc/self/task").count < 100 }
    return faults.all
  }

  private func perform() -> Faults {
    while !script.isOver { step() }
    while !roles.isEmpty { retire(roles.count - 1) }
    let watch = Watch { [stage] in "\(stage.living.value) handlers are not freed, \(stage.elsewhere.value) jobs not done" }
    watch.wait { stage.elsewhere.value == 0 && stage.living.value == 0 }
    let left = Watch { [self] in "not freed: \(ghosts.compactMap { $0.object.map { "\(type(of: $0))" } })" }
    left.wait { ghosts.allSatisfy { $0.object == nil } }
    return stage.faults
  }

  private func step() {
    switch script.pick(16) {
    case 0, 1, 2: if roles.count < 9 { make() }
    case 3: if script.once(in: 3) && !roles.isEmpty { retire(script.pick(roles.count)) }
    case 4: usleep(UInt32(script.byte()))  // events come meanwhile
    default: if roles.isEmpty { make() } else { roles[script.pick(roles.count)].step(&script) }
    }
  }

  private func make() {
    made += 1
    let number = made
    switch script.pick(16) {
    case 0, 1: roles.append(DataRole(stage, number, &script))
    case 2, 3: roles.append(TimerRole(stage, number, &script))
    case 4: roles.append(AfterRole(stage))
    case 5, 6: roles.append(ReadRole(stage, number, &script))
    case 7: roles.append(WriteRole(stage, number, &script))
    case 8: roles.append(SignalRole(stage, number, &script))
    case 9: if !roles.contains(where: { $0 is ProcessRole }) { roles.append(ProcessRole(stage, number, &script)) }
    case 10: roles.append(FileRole(stage, number, &script))
    case 11: roles.append(PortRole(stage, number, &script))
    case 12: roles.append(StreamReadRole(stage, number, &script))
    case 13: roles.append(StreamWriteRole(stage, number, &script))
    case 14: roles.append(RandomRole(stage, number, &script))
    default: roles.append(DataRopeRole(stage))
    }
  }

  /// Brings one role to its end, beside the others.
  private func retire(_ index: Int) {
    let role = roles.remove(at: index)
    role.finish()
    ghosts += role.objects.map { Ghost(object: $0) }
    Watch { [self] in ([role.summary] + stage.faults.all + roles.map(\.summary)).joined(separator: "\n  ") }.wait {
      role.isSettled()
    }
    role.judge()
  }
}

/// The names in a folder of the kernel's.
private func entries(_ path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name.first != "." { names.append(name) }
  }
  return names
}

/// What every open descriptor leads to.
private func openDescriptors() -> [String] {
  entries("/proc/self/fd").map { number in
    var buffer = [UInt8](repeating: 0, count: 200)
    let count = buffer.withUnsafeMutableBytes {
      readlink("/proc/self/fd/\(number)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return "\(number) \(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))"
  }
}

/// Ends the process with a description when a condition does not come about, and nothing moves for a minute, or for a quarter of an hour.
private struct Watch {
  private static let seconds = getenv("SIGNALBOX_PLAY_DEADLINE").flatMap { Int(String(cString: $0)) } ?? 60
  /// Seconds after which a play is stuck although it moves.
  private static let most = 15 * seconds
  private let describe: () -> String
  init(_ describe: @escaping () -> String) { self.describe = describe }

  /// Checks again and again, without the engine, less often after a while. As long as the description changes, something moves:
  /// a slow machine is not a play that is stuck.
  func wait(until isOver: () -> Bool) {
    let begin = DispatchTime.now()
    var end = begin + .seconds(Self.seconds)
    var last = ""
    var looks = 0
    while !isOver() {
      looks += 1
      usleep(looks < 20 ? 20 : 500)  // between two readings
      guard DispatchTime.now() > end else { continue }
      let now = describe()
      if now == last { stop("nothing moves for \(Self.seconds) s", now) }
      if DispatchTime.now() > begin + .seconds(Self.most) { stop("no end after \(Self.most) s", now) }
      last = now
      end = .now() + .seconds(Self.seconds)
    }
  }

  private func stop(_ why: String, _ description: String) -> Never {
    let text = "STUCK: \(why) (process \(getpid())): \(description)\n"
    _ = text.withCString { write(2, $0, strlen($0)) }
    while getenv("SIGNALBOX_PLAY_HOLD") != nil { sleep(1) }  // for a debugger
    abort()
  }
}
