// ScarcityTests.swift: descriptors, inotify watches, threads and disk room that the system refuses: what is accepted is done later, or ends
// with the error, and nothing hangs.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// For machines that permit no filter of calls: then there is nothing to be seen.
private let noFilter = "no filter is permitted"

/// Whether the kernel calls a handler for the signal.
private func isCaught(_ signal: Int32) -> Bool {
  let line = (Kernel.contents("/proc/self/status") ?? "").split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
  return line.flatMap { UInt64($0.dropFirst(8), radix: 16) }.map { $0 >> (signal - 1) & 1 == 1 } ?? false
}

/// A byte through a read source of a pipe, a timer, and an item: each adds one.
private func useAll(_ pipe: IOPipe, _ done: Count) -> [any DispatchSourceProtocol] {
  let output = pipe.output
  let reading = DispatchSource.makeReadSource(fileDescriptor: output)
  reading.setEventHandler {
    var byte: UInt8 = 0
    if read(output, &byte, 1) == 1 { done.add() }
  }
  reading.activate()
  let timer = DispatchSource.makeTimerSource()
  timer.schedule(deadline: .now() + 0.001)
  timer.setEventHandler { done.add() }
  timer.activate()
  DispatchQueue.global().async { done.add() }
  pipe.put([1])
  return [reading, timer]
}

extension Faults {
  @Suite struct ScarcityTests {
    @Test(
      "Whichever descriptor of ours is refused, accepted work is done when there are more descriptors",
      arguments: 0...6)
    func descriptors(left: Int) async {
      await #expect(processExitsWith: .success) { [left = left as Int] in
        killOnHang()
        let (pipe, file, done, refused) = (IOPipe(), IOFile([1, 2, 3]), Count(), Count())
        let opened = file.open(O_RDONLY)
        allowDescriptors(left)
        var sources = useAll(pipe, done)
        let signals = DispatchSource.makeSignalSource(signal: SIGUSR1)
        signals.setEventHandler { done.add() }
        signals.activate()
        // Those that Linux refuses for good say so, and are cancelled.
        let files = DispatchSource.makeFileSystemObjectSource(fileDescriptor: opened, eventMask: .delete)
        let parent = DispatchSource.makeProcessSource(identifier: getppid(), eventMask: .exit)
        for source in [files as any DispatchSourceProtocol, parent] {
          source.setCancelHandler { refused.add() }
          source.activate()
        }
        let channel = IOEnds().channel(.stream, path: file.path, O_RDONLY)
        let reading = IOCalls.read(channel, 0, 3)
        let last = reading.wait().last
        precondition(last == IOCall(true, 3) || last == IOCall(true, nil, EMFILE), "\(String(describing: last))")
        if left == 0 {
          precondition(last?.error == EMFILE && eventually { refused.value == 2 })
          for refusal in [files.refusal, parent.refusal] { precondition(refusal != nil) }
        }
        sleepPlainly(milliseconds: 30)  // time to be refused again, which nothing shows
        allowDescriptors(nil)
        precondition(eventually { done.value >= 3 }, "\(done.value) of three were done")
        precondition(eventually { isCaught(SIGUSR1) }, "the signal is not monitored")
        kill(getpid(), SIGUSR1)
        precondition(eventually { done.value == 4 }, "the signal was lost")
        for source in [files as any DispatchSourceProtocol, parent] { source.cancel() }
        precondition(eventually { refused.value == 2 })
        sources.append(signals)
        for source in sources { source.cancelAndWait() }
        channel.close()
      }
    }

    @Test("A source that epoll refuses reports it once, and is called when there is room")
    func registrations() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let (first, second, done) = (IOPipe(), IOPipe(), Count())
        let helper = Helper()
        // The threads that will serve the test are made before calls are refused.
        helper.run {
          let sources = useAll(first, done)
          _ = eventually { done.value == 3 }
          for source in sources { source.cancelAndWait() }
        }
        precondition(done.value == 3)
        guard CallFilter.refuse([CallNumber.epollControl], with: ENOSPC) else { return SignalboxSystem.Misuse.report(noFilter) }
        let source = DispatchSource.makeReadSource(fileDescriptor: second.output)
        source.setEventHandler {
          done.add()
          source.cancel()
        }
        source.activate()
        second.put([1])
        precondition(eventually { done.value == 4 }, "nobody tried again")
      }
      let text = errorText(result)
      #expect(text.contains(noFilter) || text.components("tries again until it can") == 1, "\(text)")
    }

    @Test("A source for which inotify has no room left is refused by name and cancelled, and the next one is made")
    func notices() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let folder = TestFolder()
        let file = folder.file("a")
        let (helper, cancelled) = (Helper(), Count())
        guard CallFilter.refuse([CallNumber.addNotice], with: ENOSPC) else { return SignalboxSystem.Misuse.report(noFilter) }
        let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .write)
        source.setCancelHandler { cancelled.add() }
        source.activate()
        precondition(eventually { cancelled.value == 1 })
        precondition(source.refusal?.reason == .failed(SystemError(call: "inotify_add_watch", code: ENOSPC)))
        let told = Count()
        helper.run {
          let other = DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .write)
          other.setEventHandler {
            told.add()
            other.cancel()
          }
          other.activate()
        }
        let writer = open(folder.of("a"), O_WRONLY)
        _ = write(writer, "x", 1)
        close(writer)
        precondition(eventually { told.value == 1 })
      }
      let text = errorText(result)
      #expect(text.contains(noFilter) || text.contains("inotify_add_watch"), "\(text)")
    }

    @Test("Without the newest call for waiting the older one serves", arguments: [ENOSYS, EPERM])
    func olderWait(_ error: Int32) async {
      await #expect(processExitsWith: .success) { [error = error as Int32] in
        killOnHang()
        guard CallFilter.refuse([CallNumber.epollWait2], with: error) else { return }
        let (pipe, done) = (IOPipe(), Count())
        let sources = useAll(pipe, done)
        precondition(eventually { done.value == 3 })
        for source in sources { source.cancelAndWait() }
      }
    }

    @Test("When no thread can be made that is reported once, work stays queued, and all of it runs later")
    func threads() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let helper = Helper()
        guard CallFilter.refuse(CallNumber.makeThread, with: EAGAIN) else { return SignalboxSystem.Misuse.report(noFilter) }
        let (pipe, done, ran) = (IOPipe(), Count(), Count())
        let group = DispatchGroup()
        for _ in 0..<100 { DispatchQueue.global().async(group: group) { ran.add() } }
        let serial = DispatchQueue(label: "accepted")
        for _ in 0..<100 { serial.async(group: group) { ran.add() } }
        let sources = useAll(pipe, done)
        helper.run { DispatchQueue.global().async(group: group) { ran.add() } }
        precondition(group.wait(timeout: .now() + .seconds(Int(patience))) == .success, "\(ran.value) items ran")
        precondition(ran.value == 201)
        precondition(eventually { done.value == 3 }, "\(done.value) of three were done")
        for source in sources { source.cancelAndWait() }
      }
      let text = errorText(result)
      #expect(text.contains(noFilter) || text.components("no further worker thread can be made") == 1, "\(text)")
    }

    @Test(
      "On a full disk what fits is written, the rest comes back with ENOSPC, and room made later is used",
      .enabled(if: getuid() == 0))
    func fullDisk() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let folder = TestFolder()
        guard mount("none", folder.path, "tmpfs", 0, "size=1m") == 0 else { return }  // not permitted: nothing to be seen
        let (file, size) = (folder.file("a"), 3 << 20)
        let ends = IOEnds()
        let channel = ends.channel(.stream, file)
        let last = IOCalls.write(channel, [UInt8](repeating: 7, count: size)).wait().last
        var status = stat()
        fstat(file, &status)
        precondition(last == IOCall(true, size - Int(status.st_size), ENOSPC) && status.st_size == 1 << 20)
        precondition(IOCalls.write(channel, [1]).wait() == [IOCall(true, 1, ENOSPC)])
        ftruncate(file, 0)
        lseek(file, 0, SEEK_SET)
        precondition(IOCalls.write(channel, [1, 2, 3]).wait() == [IOCall(true, nil)])
        channel.close()
        precondition(ends.wait() == [0])
        close(file)
        umount2(folder.path, Int32(MNT_DETACH))
      }
    }

    @Test("A write to a full pipe waits without a thread, and every byte follows when there is room")
    func fullPipe() {
      let (pipe, ends) = (IOPipe(), IOEnds())
      let channel = ends.channel(.stream, pipe.input)
      let bytes = IOFile.pattern(0..<500_000)
      let writing = IOCalls.write(channel, bytes)
      #expect(eventually { pipe.count == 65_536 && IODescriptor.isWaiting(pipe.input) })
      #expect(!writing.isDone)
      var got: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while got.count < bytes.count, case let count = read(pipe.output, &buffer, buffer.count), count > 0 {
        got += buffer[..<count]
      }
      #expect(got == bytes)
      #expect(writing.wait().last == IOCall(true, nil))
      channel.close()
      #expect(ends.wait() == [0])
    }
  }
}
