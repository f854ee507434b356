// RemoteMirrorTests.swift: the toolchain's own reader of tasks (libswiftRemoteMirror) is asked for the tasks of
// programs that stand still, and both readers say the same: numbers, flags, children, the functions with which
// tasks go on and that await them. How it is called is Tests/RemoteMirror.
import CRemoteMirror
import Glibc
import SignalboxSystem
import SignalboxView
import Testing

@testable import SignalboxInspector

@Suite("The toolchain's reader of tasks") struct RemoteMirrorTests {
  /// What it says of one task.
  private struct Answer {
    let task: mirror_task
    let error: String?
    let children: Set<UInt64>, frames: [UInt64]

    init(_ task: mirror_task) {
      // SAFETY: the pointers are good until the next call, and all they lead to is copied here.
      (self.task, error) = (task, task.error.map { String(cString: $0) })
      children = Set(UnsafeBufferPointer(start: task.children, count: task.child_count))
      frames = Array(UnsafeBufferPointer(start: task.frames, count: task.frame_count))
    }
  }

  /// The library, prepared to read one process.
  private final class Mirror {
    private let mirror: OpaquePointer

    /// nil: the library cannot be loaded.
    init?(_ process: LiveProcess, id: Int32) {
      let names = ["asyncTaskMetadata", "asyncTaskSize", "supportsPriorityEscalation"] + RemoteMirrorTests.adapters
      var symbols: [(name: String, address: UInt64)] = []
      for image in process.images.all where image.path.contains("libswift_Concurrency.so") {
        let wanted = Set(names.map { "_swift_concurrency_debug_" + $0 })
        for (name, place) in ImageFunctions.places(ofSymbols: wanted, in: process.file(image.path)) {
          symbols.append((name, (image.base + ReadNumber(place)).bits))
        }
      }
      guard let path = RemoteMirrorTests.library else { return nil }
      let copies = symbols.map { mirror_symbol(name: strdup($0.name), address: $0.address) }
      // SAFETY: `mirror_open` copies the names; here they are freed once it has.
      defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy.name)) } }
      guard let mirror = mirror_open(path, id, copies, copies.count) else { return nil }
      self.mirror = mirror
    }
    deinit { mirror_close(mirror) }

    func task(_ address: UInt64) -> Answer { Answer(mirror_task(mirror, address)) }
  }

  private static let adapters = [
    "non_future_adapter", "future_adapter", "task_wait_throwing_resume_adapter", "task_future_wait_resume_adapter",
  ]

  /// The library beside this process's own runtime; nil: there is none.
  private static let library: String? = {
    let parts = OtherImages.parts(process: OwnProcess.id)
    guard let runtime = parts.map(\.path).first(where: { $0.hasSuffix("/libswiftCore.so") }) else { return nil }
    let path = runtime.dropLast("libswiftCore.so".count) + "libswiftRemoteMirror.so"
    return (try? FileBytes(RawString(String(path)))) == nil ? nil : String(path)
  }()

  static let programs = [
    ["TaskProbe", "kinds"], ["TaskProbe", "executors"], ["TaskProbe", "values"], ["TaskProbe", "many", "100"],
    ["TaskPrograms", "1"], ["TaskPrograms", "2"], ["TaskPrograms", "3"], ["TaskPrograms", "4"],
  ]

  @Test(
    "Both readers say the same of each task",
    .enabled(if: RemoteMirrorTests.library != nil, "there is no libswiftRemoteMirror.so beside this process's libswiftCore.so"),
    arguments: programs)
  func agree(words: [String]) throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + words[0]] + words.dropFirst())
    let live = try LiveProcess(try #require(OtherProcess(program.child.id)))
    let mirror = try #require(Mirror(live, id: program.child.id), "the library cannot be loaded, or lacks a function")
    guard case .found(let library) = ConcurrencyLibrary.find(in: live) else {
      Issue.record("the runtime is not found")
      return
    }
    // All of them have come to where they stay once two readings around the other reader's are the same.
    let deadline = Clock.uptime() + 120_000_000_000
    while true {
      let before = TaskSet(live.memory, live.written, library.runtime).tasks
      let answers = before.mapValues { mirror.task($0.address) }
      let isSame = TaskSet(live.memory, live.written, library.runtime).tasks == before
      let isStill = before.values.allSatisfy { $0.state != .new || $0.sleep != 0 } && before.count > 1
      if isSame, isStill || Clock.uptime() > deadline {
        #expect(isStill)
        return compare(before, answers, library.runtime)
      }
      try #require(Clock.uptime() < deadline, "the program does not stand still")
    }
  }

  private func compare(_ tasks: [UInt64: TaskView], _ answers: [UInt64: Answer], _ runtime: TaskRuntime) {
    for task in tasks.values.sorted(by: { $0.number < $1.number }) {
      guard let answer = answers[task.address] else { continue }
      let other = answer.task
      #expect(answer.error == nil, "\(answer.error ?? ""): \(task)")
      #expect(other.number == UInt64(task.number), "\(other) \(task)")
      // The one with which it was queued last; 0: it never was.
      #expect([0, task.basePriority, task.priority].contains { UInt32($0) == other.priority }, "\(other) \(task)")
      #expect(other.is_cancelled == task.isCancelled && other.is_async_let == task.isAsyncLet, "\(other) \(task)")
      #expect(other.is_child == (task.parent != 0) && other.is_group_child == (task.group != 0), "\(other) \(task)")
      #expect(other.is_running == (task.state == .running), "\(other) \(task)")
      if other.is_queued, case .queued = task.state {} else { #expect(!other.is_queued, "\(other) \(task)") }
      // Of a group's children it has the first alone, unless the group's own task is a child.
      let children = tasks.values.filter { $0.parent == task.address }, groups = Set(children.map(\.group))
      let found = children.filter { answer.children.contains($0.address) }
      let count = task.parent != 0 ? children.count : task.lets.count + groups.count { $0 != 0 }
      #expect(found.count == answer.children.count && found.count == count, "\(answer) \(task)")
      #expect(Set(found.map(\.group)) == groups && Set(task.lets).isSubset(of: answer.children), "\(answer) \(task)")
      // Of a task that runs the words are those of its last wait. The closure of one that has not begun is one
      // function.
      switch task.state {
      case .running: continue
      case .new: #expect(task.awaits.contains(other.function), "\(answer) \(task)")
      case .queued where task.awaits.count <= 2: #expect(task.awaits.contains(other.function), "\(answer) \(task)")
      case .task, .continuation:
        #expect(task.awaits.first == other.function && task.awaits == answer.frames, "\(answer) \(task)")
      case .queued, .group:
        #expect(task.awaits.first == other.function && Array(task.awaits.dropFirst()) == answer.frames, "\(answer) \(task)")
      }
    }
  }
}
