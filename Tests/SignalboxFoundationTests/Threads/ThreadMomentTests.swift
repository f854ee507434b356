// ThreadMomentTests.swift: when observers hear of threads, and what may be asked and set at which moment of a thread's life.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias Thread = SignalboxFoundation.Thread

@Suite("Threads before, during and after their run") struct ThreadMomentTests {
  @Test("The notification of the first start is posted once, before the thread runs, on the starting thread")
  func multiThreaded() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let log = Locked<[String]>([])
      let here = ThreadSlot.kernelID()
      for (name, text) in [(NSNotification.Name.NSWillBecomeMultiThreaded, "multi"), (.NSDidBecomeSingleThreaded, "single")] {
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
          let isHere = ThreadSlot.kernelID() == here && note.object == nil
          log.access { $0.append("\(text) \(isHere)") }
        }
      }
      guard !Thread.isMultiThreaded() else { exit(2) }
      // One that is cancelled before it starts is none.
      let never = Thread {}
      never.cancel()
      never.start()
      guard never.isFinished, !Thread.isMultiThreaded(), log.value.isEmpty else { exit(3) }
      for _ in 0..<2 {
        let thread = Thread { log.access { $0.append("runs") } }
        thread.start()
        guard eventually({ thread.isFinished }), Thread.isMultiThreaded() else { exit(4) }
      }
      exit(log.value == ["multi true", "runs", "runs"] ? 0 : 5)
    }
  }

  @Test("The notification of the end is posted while the thread still has its dictionary and is executing")
  func willExit() async {
    let log = Locked<[String]>([])
    let token = NotificationCenter.default.addObserver(forName: .NSThreadWillExit, object: nil, queue: nil) { note in
      guard let thread = note.object as? Thread, let name = thread.name, name.hasPrefix("moment") else { return }
      let word = thread.threadDictionary["key"] as? String ?? "nothing"
      log.access { $0.append("\(name) \(word) \(thread.isExecuting) \(thread.isFinished)") }
    }
    let own = Thread { Thread.current.threadDictionary["key"] = "kept" }
    own.name = "moment own"
    own.start()
    #expect(eventually { own.isFinished })
    await onOwnThread { Thread.current.name = "moment met" }
    let ended = Locked<Thread?>(nil)
    try! Threads.spawn {
      Thread.current.name = "moment exit"
      ended.access { $0 = Thread.own }
      Thread.exit()
    }
    #expect(eventually { ended.value?.isFinished == true })
    NotificationCenter.default.removeObserver(token)
    #expect(log.value == ["moment own kept true false", "moment exit nothing true false"])
  }

  @Test("The object of a thread that has ended is finished, and changes no other thread")
  func staleHandle() async {
    let met = Locked<Thread?>(nil), id = Locked<Int32>(0)
    await onOwnThread {
      met.access { $0 = Thread.own }
      id.access { $0 = ThreadSlot.kernelID() }
    }
    let thread = met.value!
    #expect(eventually { thread.isFinished && KernelThread.name(UInt64(id.value)) == nil })
    thread.name = "a ghost"
    thread.threadPriority = 0
    #expect(thread.grantedPriority == nil && !thread.isExecuting && thread.kernelID.loadRelaxed() == 0)
    #expect(throws: PerformError.self) { try thread.perform {} }
    let other = Locked<Bool>(false)
    await onOwnThread { other.access { $0 = Thread.own !== thread && Threads.ownName() != "a ghost" } }
    #expect(other.value)
  }

  @Test("Priority and service may be changed from outside while the thread runs; what was granted can be asked for")
  func livePriority() async {
    let isOver = Gate(), inside = Locked<Double>(2)
    let thread = Thread {
      isOver.pass()
      inside.access { $0 = Thread.threadPriority() }
    }
    thread.start()
    #expect(eventually { thread.grantedPriority != nil })
    thread.qualityOfService = .utility
    #expect(thread.grantedPriority == 0.5 - 5.0 / 38)
    thread.threadPriority = 0.1
    #expect(thread.qualityOfService == .utility && thread.threadPriority == 0.1)
    #expect(abs((thread.grantedPriority ?? 1) - 0.1) < 0.02)
    // Out of range counts as the end of it.
    thread.threadPriority = -7
    #expect(thread.threadPriority == 0 && thread.grantedPriority == 0)
    isOver.open()
    #expect(eventually { thread.isFinished })
    #expect(inside.value == 0)
  }

  @Test("A thread of which nobody asks a priority keeps the one that it inherits")
  func inheritedPriority() async {
    let granted = Locked<[Int32]>([])
    let outer = Thread {
      _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, max(getpriority(Int32(PRIO_PROCESS.rawValue), 0), 7))
      let inner = Thread { granted.access { $0.append(getpriority(Int32(PRIO_PROCESS.rawValue), 0)) } }
      granted.access { $0.append(getpriority(Int32(PRIO_PROCESS.rawValue), 0)) }
      inner.start()
    }
    outer.start()
    #expect(eventually { granted.value.count == 2 })
    #expect(granted.value.first == granted.value.last && granted.value[0] >= 7)
  }

  @Test("What a stack may be follows the machine's pages and its least stack")
  func stackRule() {
    #expect(Thread.usableStack(16_384, page: 4096, least: 16_384) == 16_384)
    #expect(Thread.usableStack(16_384, page: 65_536, least: 131_072) == nil)
    #expect(Thread.usableStack(131_073, page: 65_536, least: 131_072) == 196_608)
    #expect(Thread.usableStack(131_073, page: 16_384, least: 131_072) == 147_456)
    #expect(Thread.usableStack(1 << 40 | 1, page: 4096, least: 16_384) == nil)
  }

  @Test("A stack is rounded up to whole pages and really there; too little, too much and too late is refused")
  func stackSize() async {
    let seen = Locked<[Int]>([])
    let thread = Thread {
      _ = StackCapture.addresses()  // finds the bounds
      let size = Int(ThreadSlot.current.pointee.stack_high - ThreadSlot.current.pointee.stack_low)
      Thread.current.stackSize = 16 << 20
      seen.access { $0 = [size, Thread.own.stackSize] }
    }
    #expect(thread.stackSize == 8 << 20)
    thread.stackSize = 1 << 20 | 1
    #expect(thread.stackSize == 1 << 20 + Threads.pageSize)
    for refused in [0, -1, Threads.leastStack - 1, Int.max] { thread.stackSize = refused }
    #expect(thread.stackSize == 1 << 20 + Threads.pageSize)
    thread.start()
    #expect(eventually { thread.isFinished })
    #expect(seen.value.count == 2 && seen.value[1] == 1 << 20 + Threads.pageSize)
    #expect((seen.value.first ?? 0) >= 1 << 20 + Threads.pageSize, "\(seen.value)")
    #expect((seen.value.first ?? 0) < 2 << 20, "\(seen.value)")
  }

  @Test("Long names are cut for the kernel between characters, from outside and from inside")
  func cutNames() async {
    let isOver = Gate(), id = Locked<Int32>(0)
    let thread = Thread {
      id.access { $0 = ThreadSlot.kernelID() }
      isOver.pass()
    }
    thread.start()
    #expect(eventually { id.value != 0 && thread.kernelID.loadRelaxed() != 0 })
    let cuts = ["ääääääääää": "äääääää", "fifteen letters": "fifteen letters", "sixteen letters!": "sixteen letters", "": ""]
    for (name, cut) in cuts {
      thread.name = name
      #expect(thread.name == name && KernelThread.name(UInt64(id.value)) == cut)
    }
    isOver.open()
    #expect(eventually { thread.isFinished })
  }

  @Test("There are as many symbols as return addresses")
  func counts() {
    let (addresses, symbols) = (Thread.callStackReturnAddresses, Thread.callStackSymbols)
    #expect(addresses.count == symbols.count && addresses.count > 3)
    #expect(addresses.allSatisfy { $0.uintValue > 4096 })
  }

  // Apple's class methods are open: so are these.
  private final class Custom: Thread, @unchecked Sendable {
    static let calls = Locked<[String]>([])
    override class func detachNewThread(_ block: @escaping @Sendable () -> Void) {
      calls.access { $0.append("detach") }
      super.detachNewThread(block)
    }
    override class func sleep(forTimeInterval interval: TimeInterval) { calls.access { $0.append("sleep \(interval)") } }
    override class func sleep(until date: Date) { calls.access { $0.append("until") } }
    override class func exit() { calls.access { $0.append("exit") } }
    override class var callStackSymbols: [String] { ["own"] }
    override class var callStackReturnAddresses: [NSNumber] { [1] }
  }

  @Test("Class methods can be overridden")
  func overridden() async {
    let ran = Locked(false)
    Custom.detachNewThread { ran.access { $0 = true } }
    await onOwnThread {
      Custom.sleep(forTimeInterval: 5)
      Custom.sleep(until: .distantFuture)
      Custom.exit()
    }
    #expect(eventually { ran.value })
    #expect(Custom.calls.value == ["detach", "sleep 5.0", "until", "exit"])
    #expect(Custom.callStackSymbols == ["own"] && Custom.callStackReturnAddresses == [1])
  }
}
