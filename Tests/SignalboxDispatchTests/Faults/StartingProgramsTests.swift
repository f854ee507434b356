// StartingProgramsTests.swift: programs started from handlers: no signal is blocked there, and no descriptor of
// Signalbox's open.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// What the started program prints: which signals are blocked, and what its descriptors are.
private let question = "grep SigBlk: /proc/self/status; for each in /proc/self/fd/*; do readlink $each; done; exit 7"

private enum Way: CaseIterable { case spawn, forkAndExec }

/// Starts the program that answers, and waits for it.
private func answer(_ way: Way) -> String {
  let pipe = IOPipe()
  for end in [pipe.output, pipe.input] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  let child: pid_t
  switch way {
  case .spawn: child = startProgram(shellWords(question), output: pipe.input)
  case .forkAndExec:
    let (words, input) = (arguments(shellWords(question)), pipe.input)
    child = fork()
    if child == 0 {
      dup2(input, 1)
      execve(words[0]!, words, environ)
      _exit(99)
    }
  }
  precondition(child > 0, "no process for a test")
  pipe.closeInput()
  let text = contents(of: pipe.output)
  precondition(Ending.of(child) == .exited(7), "the program did not run: \(text)")
  return text
}

extension Faults {
  @Suite struct StartingProgramsTests {
    @Test("Programs started from handlers of every kind of source inherit no mask and no descriptor, and all goes on")
    func fromHandlers() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (pipe, file, log) = (IOPipe(), IOFile([1]), EventLog<String>())
        let opened = file.open(O_RDONLY)
        let reading = DispatchSource.makeReadSource(fileDescriptor: pipe.output)
        let timer = DispatchSource.makeTimerSource()
        let signals = DispatchSource.makeSignalSource(signal: SIGUSR1)
        let data = DispatchSource.makeUserDataAddSource()
        let files = DispatchSource.makeFileSystemObjectSource(fileDescriptor: opened, eventMask: .write)
        let children = DispatchSource.makeProcessSource(identifier: getppid(), eventMask: .exit)
        children.activate()
        let sources: [any DispatchSourceProtocol] = [reading, timer, signals, data, files]
        for source in sources {
          source.setEventHandler {
            for way in Way.allCases { log.add(answer(way)) }
            source.cancel()
          }
          source.activate()
        }
        pipe.put([1])
        timer.schedule(deadline: .now())
        data.add(data: 1)
        try! passEventThread()
        kill(getpid(), SIGUSR1)
        let writing = file.open(O_WRONLY)
        _ = write(writing, "x", 1)
        close(writing)
        precondition(eventually { log.all.count == 10 }, "\(log.all.count) programs were started")
        for text in log.all {
          precondition(text.contains("SigBlk:\t0000000000000000"), text)
          for ours in ["anon_inode", "inotify", "pidfd"] { precondition(!text.contains(ours), text) }
        }
        // The parent's queues work as before.
        let after = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) { after.signal() }
        precondition(after.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        children.cancelAndWait()
        close(opened)
      }
    }
  }
}
