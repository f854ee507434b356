// MainThreadLeftTests.swift: which thread is the main one after an asynchronous main has let the first one go.
import SignalboxFoundation
import SignalboxSystem
import Testing

/// What the calling code finds: whether it runs on the process's first thread, and whether each question says that it is the main one.
private func places() -> [Bool] {
  [
    Threads.isMain, Thread.isMainThread, Thread.current === Thread.main, Thread.current.isMainThread,
    RunLoop.current === RunLoop.main,
  ]
}

private func placesOfItem(of queue: DispatchQueue) async -> [Bool] {
  await withCheckedContinuation { continuation in
    queue.async { continuation.resume(returning: places()) }
  }
}

@Suite("The main thread of an asynchronous main") struct MainThreadLeftTests {
  @Test("On the main actor thread and loop are the main ones, whichever thread serves it; elsewhere they are not")
  func mainActor() async {
    let main = await MainActor.run { places() }
    #expect(main.dropFirst() == [true, true, true, true], "the first thread: \(main[0])")
    let item = await placesOfItem(of: .main)
    #expect(item == main)
    let other = await placesOfItem(of: .global())
    #expect(other == [false, false, false, false, false])
  }
}
