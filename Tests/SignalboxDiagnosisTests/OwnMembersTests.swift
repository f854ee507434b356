// OwnMembersTests.swift: waits for a group whose members lie behind the waiting item, in processes in which something else could still
// leave: suspected, never stopped. Where nothing could, ReportTests has them.
import Glibc
import SignalboxDispatch
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// What could still call `leave`.
enum Hope: CaseIterable, Sendable { case timedWait, systemCall, timer, descriptor, handler, running }

private let group = DispatchGroup()
private let told = Count()
private let isOver = Count()

/// The wait is reported as suspected and goes on: from then on `leave` comes from `hope`.
private func waitBehind(_ hope: Hope) {
  alarm(500)
  StallDetector.testsOnly_leaveOut(Set(KernelThread.all()))
  let pipe = Pipe()
  if hope == .handler { signal(SIGUSR1) { _ in group.leave() } }
  Deadlock.onDetection { report in
    #expect(report.certainty == .suspected && report.participants.count == 1)
    guard told.add() == 1 else { return }
    if hope == .descriptor { pipe.write() }
    if hope == .handler { kill(getpid(), SIGUSR1) }
  }
  let source = begin(hope, pipe)
  let own = DispatchQueue(label: "own")
  own.sync {
    own.async(group: group) { isOver.add() }
    group.wait()
    group.enter()  // balances the member's own leave
  }
  own.sync {}
  source?.cancel()
  #expect(told.value == 1 && isOver.value == 1)
}

private func begin(_ hope: Hope, _ pipe: Pipe) -> (any DispatchSourceProtocol)? {
  switch hope {
  case .timedWait:
    let never = DispatchSemaphore(value: 0)
    PlainThread("watchdog") {
      while told.value == 0 { _ = never.wait(timeout: .now() + .milliseconds(200)) }
      group.leave()
    }
  case .systemCall:
    PlainThread("watchdog") {
      while told.value == 0 { usleep(100_000) }  // a system call of which nobody knows what for
      group.leave()
    }
  case .running:
    PlainThread("watchdog") {
      while told.value == 0 {}
      group.leave()
    }
  case .timer:
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now(), repeating: .milliseconds(200))
    let isFirst = Count()
    timer.setEventHandler { if told.value == 1, isFirst.add() == 1 { group.leave() } }
    timer.activate()
    return timer
  case .descriptor:
    let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reading, queue: .global())
    source.setEventHandler {
      pipe.read()
      group.leave()
    }
    source.activate()
    return source
  case .handler: break
  }
  return nil
}

/// A byte on its way.
private struct Pipe: Sendable {
  let reading: Int32, writing: Int32
  init() {
    var ends: [Int32] = [-1, -1]
    precondition(Glibc.pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
  }
  func write() {
    var byte: UInt8 = 1
    _ = Glibc.write(writing, &byte, 1)
  }
  func read() {
    var byte: UInt8 = 0
    _ = Glibc.read(reading, &byte, 1)
  }
}

@Suite("Waits for a group whose members only the waiting thread could run") struct OwnMembersTests {
  @Test("While something else could leave the wait is suspected, and goes on", arguments: Hope.allCases)
  func hope(hope: Hope) async {
    let index = Hope.allCases.firstIndex(of: hope) ?? 0
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [index = index as Int] in
      waitBehind(Hope.allCases[index])
      exit(0)
    }
    let text = errorText(result)
    #expect(text.contains("suspected deadlock: a thread waits for itself, unless something else leaves the group"), "\(text)")
    #expect(text.contains("holds serial queue \"own\" and wants group 0x"), "\(text)")
    #expect(text.contains("whose remaining members are items of the serial queue \"own\""), "\(text)")
  }

  @Test("Once nothing else can leave any more the suspected wait is certain, and stops the program")
  func hopeLost() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      StallDetector.testsOnly_leaveOut(Set(KernelThread.all()))
      let never = DispatchSemaphore(value: 0)
      Deadlock.onDetection { _ in told.add() }
      PlainThread("watchdog") { while told.value == 0 { _ = never.wait(timeout: .now() + .milliseconds(200)) } }
      let queue = DispatchQueue(label: "own")
      queue.sync {
        queue.async(group: group) {}
        group.wait()
      }
    }
    let text = errorText(result)
    #expect(text.contains("suspected deadlock: a thread waits for itself, unless"), "\(text)")
    expectStop(result, saying: "deadlock: a thread waits for itself, forever")
  }
}
