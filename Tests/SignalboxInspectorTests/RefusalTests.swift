// RefusalTests.swift: processes that cannot be asked, each with what cures that; names that others have made, or that are left over.
import Glibc
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Refusals to be inspected") struct RefusalTests {
  /// What asking the process comes to, as where the kernel does not show its memory.
  private func refusal(_ id: Int32, patience: UInt64 = 20_000_000_000) -> InspectRefusal? {
    do throws(InspectRefusal) {
      _ = try InspectedProcess(id, patience: patience).ask()
      return nil
    } catch {
      return error
    }
  }

  @Test("No such process")
  func absent() throws {
    let child = try ChildProcess("/bin/true", [])
    _ = child.wait()
    let found = try #require(refusal(child.id))
    #expect(
      found.kind == .noProcess
        && found.message == "there is no process \(child.id), or the kernel does not show it to this user")
  }

  @Test("A process that has ended, and whose parent has not asked for its status")
  func ended() throws {
    let child = try ChildProcess("/bin/true", [])
    while child.read(milliseconds: 100) {}
    // Its outputs are closed; it ends at once.
    let deadline = Clock.uptime() + 60_000_000_000
    while OtherProcess(child.id)?.hasEnded == false, Clock.uptime() < deadline { Parking.yield() }
    #expect(refusal(child.id) == InspectRefusal(.noProcess, "process \(child.id) (true) has ended"))
  }

  @Test("Another user's process")
  func anothers() throws {
    let program = try InspectedProgram(["busy"])
    #expect(throws: InspectRefusal.self) { try InspectedProcess(program.child.id, user: 54_321) }
    do { _ = try InspectedProcess(program.child.id, user: 54_321) } catch {
      #expect(error.kind == .notPermitted && error.message.contains("run the command as that user, or as root"))
    }
  }

  /// The command in a folder that everybody may read; nil: it does not start as a user without rights here.
  private static let commandOfNobody: (folder: String, line: String)? = {
    guard geteuid() == 0, let folder = try? InspectedProgram.makePlace() else { return nil }
    let line =
      "mkdir -p -m 755 '\(folder)' && chmod 755 '\(folder)' && cp '\(InspectedProgram.programs)signalbox' '\(folder)' && "
      + "setpriv --reuid 65534 --regid 65534 --clear-groups '\(folder)/signalbox' "
    let tried = try? Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line + "--version")], environment: [], seconds: 500)
    if tried?.status == 0 { return (folder, line) }
    InspectedProgram.remove(folder)
    return nil
  }()

  @Test(
    "A user without rights is refused another's process by every command that inspects, and the process goes on",
    .enabled(if: commandOfNobody != nil, "needs root, and a toolchain that everybody may read"),
    arguments: ["inspect", "inspect --json", "top --count 1", "inspect --record /dev/null"])
  func withoutRights(command: String) throws {
    let (folder, line) = try #require(Self.commandOfNobody), program = try InspectedProgram(["busy"])
    defer { InspectedProgram.remove(folder) }
    _ = try program.inspect()
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line + "\(command) \(program.child.id)")], environment: [],
      seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(printed.status == 77 && text.contains("belongs to user 0: run the command as that user, or as root"), "\(text)")
    _ = try program.inspect()
  }

  @Test(
    "A process that ends after it was named, and one that ends while it is asked, have ended meanwhile",
    arguments: [false, true])
  func endsMeanwhile(isAsked: Bool) throws {
    let program = try InspectedProgram(["busy"]), id = program.child.id
    _ = try program.inspect()
    let process = try InspectedProcess(id, patience: 60_000_000_000)
    var found: InspectRefusal?
    func ask() {
      do throws(InspectRefusal) { _ = try isAsked ? process.ask() : process.inspect() } catch { found = error }
    }
    if isAsked {
      // It is stopped, so whoever asks waits; the asker has connected once the kernel lists a second socket of the name.
      kill(id, SIGSTOP)
      let name = try #require(program.names.first)
      let killer = try ChildProcess(
        "/bin/bash",
        ["-c", "until [ $(grep -c '\(name)' /proc/net/unix) -gt 1 ]; do read -t 0.01 x <> <(:) || :; done; kill -9 \(id)"])
      ask()
      #expect(killer.wait() == .exited(0))
    } else {
      program.child.kill()
      _ = program.child.wait()
      ask()
    }
    #expect(found == InspectRefusal(.noProcess, "process \(id) (InspectProbe) has ended meanwhile"))
  }

  /// Whether numbers of processes can be chosen here.
  private static let mayChooseNumbers: Bool = {
    let line = "unshare --pid --fork --mount-proc bash -c 'echo 100 > /proc/sys/kernel/ns_last_pid' 2>&1"
    let printed = try? Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    return printed?.status == 0
  }()

  @Test(
    "A number that is another process's by now is not taken for the one that was named",
    .enabled(if: mayChooseNumbers, "needs root"))
  func usedAgain() throws {
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let script = """
      cd '\(place)'; export SIGNALBOX_INSPECT=1 XDG_RUNTIME_DIR='\(place)'; mkfifo one two
      '\(InspectedProgram.programs)InspectProbe' busy > one & first=$!
      read -r ready < one
      '\(InspectedProgram.programs)signalbox' top $first --interval 3 > shown & top=$!
      until grep -qs 'probe.quick' shown; do read -t 0.05 x <> <(:) || :; done
      kill -9 $first; wait $first
      for attempt in {1..100}; do
        echo $((first - 1)) > /proc/sys/kernel/ns_last_pid
        '\(InspectedProgram.programs)InspectProbe' busy > two & second=$!
        [ $second != $first ] || break
        kill -9 $second; wait $second
      done
      read -r ready < two
      wait $top; echo status $? same $((second == first)); tail -n 1 shown
      '\(InspectedProgram.programs)signalbox' inspect $second | head -n 1
      kill -9 $second
      """
    let printed = try Programs.output(
      of: "/usr/bin/unshare", arguments: ["unshare", "--pid", "--fork", "--mount-proc", "bash", "-c", RawString(script)],
      environment: ["PATH=/usr/bin:/bin"], seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(text.contains("status 0 same 1\nprocess "), "\(text)")
    #expect(text.contains(" (InspectProbe) has ended meanwhile\nprocess ") && text.hasSuffix(" threads\n"), "\(text)")
  }

  @Test("A program without Signalbox, one without the variable, one that has not used Signalbox yet")
  func unprepared() throws {
    let sleeper = try ChildProcess("/bin/sleep", ["1000"])
    #expect(refusal(sleeper.id)?.message.contains("does not use Signalbox: link it, or start the program with") == true)
    let without = try InspectedProgram(["busy"], isPrepared: false)
    #expect(
      refusal(without.child.id)?.message
        == "process \(without.child.id) (InspectProbe) takes no questions: start it with SIGNALBOX_INSPECT=1 in its environment"
    )
    let unused = try InspectedProgram(["unused"])
    #expect(refusal(unused.child.id)?.message.contains("it has not used Signalbox yet") == true)
  }

  @Test("The child of a fork has nothing of its parent's, and leaves it alone")
  func fork() throws {
    let program = try InspectedProgram(["fork"])
    let child = try #require(Int32(program.line))
    defer { kill(child, SIGKILL) }
    _ = try program.inspect()
    #expect(refusal(child)?.message.contains("is the child of a fork") == true)
    kill(child, SIGKILL)
    #expect(try program.inspect().queues.contains { $0.label == "com.apple.root.default-qos" })
  }

  @Test("A program that became another by exec has one name, which is its own")
  func exec() throws {
    let program = try InspectedProgram(["exec"])
    let inspection = try program.inspect(until: { $0.queues.contains { $0.label == "probe.stopped" } })
    #expect(!inspection.queues.contains { $0.label == "probe.before" })
  }

  @Test("A stopped process does not answer, and the refusal says that it is stopped")
  func stopped() throws {
    let program = try InspectedProgram(["busy"])
    _ = try program.inspect()
    kill(program.child.id, SIGSTOP)
    let found = try #require(refusal(program.child.id, patience: 1_000_000_000))
    #expect(found.kind == .noAnswer && found.message.contains("does not answer within 1 s: it is stopped"), "\(found)")
    kill(program.child.id, SIGCONT)
    _ = try program.inspect()
  }

  @Test("The name goes when the process ends in order; what a killed one leaves goes with the next that uses the folder")
  func names() throws {
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let first = try InspectedProgram(["busy"], place: place)
    _ = try first.inspect()
    #expect(first.names.count == 1 && first.names[0].hasPrefix("inspect-\(first.child.id)-"))
    let status = try FileStatus(of: RawString(place + "/signalbox/" + first.names[0]))
    #expect(status.permissions == 0o600)
    #expect(try FileStatus(of: RawString(place + "/signalbox")).permissions == 0o700)
    kill(first.child.id, SIGTERM)
    #expect(first.child.wait() == .exited(0) && first.names.isEmpty)
    #expect(refusal(first.child.id)?.kind == .noProcess)
    let second = try InspectedProgram(["busy"], place: place)
    _ = try second.inspect()
    second.child.kill()
    _ = second.child.wait()
    #expect(second.names.count == 1)
    let third = try InspectedProgram(["busy"], place: place)
    _ = try third.inspect()
    #expect(third.names.count == 1 && third.names[0].hasPrefix("inspect-\(third.child.id)-"))
  }

  @Test("A folder that is a link, or open to others, is refused with a message")
  func folder() throws {
    for make in ["ln -s /tmp signalbox", "mkdir -m 755 signalbox"] {
      let place = try InspectedProgram.makePlace()
      defer { InspectedProgram.remove(place) }
      _ = try Programs.output(
        of: "/bin/bash", arguments: ["bash", "-c", RawString("cd '\(place)' && \(make)")], environment: [])
      let program = try InspectedProgram(["busy"], place: place)
      let why =
        make.hasPrefix("ln") ? "\(place)/signalbox is not a folder" : "\(place)/signalbox has the mode 755 instead of 700"
      #expect(program.awaitError("SIGNALBOX_INSPECT=1: the program cannot be inspected: \(why)"), "\(program.errorText)")
    }
  }

  @Test("What stands under the name and is not a socket stays, and is reported", arguments: ["mkfifo", "ln -s /etc/passwd"])
  func pipe(make: String) throws {
    // Without random addresses the name's last part is the same each time.
    let first = try InspectedProgram(["busy"], before: ["/usr/bin/setarch", "-R"])
    _ = try first.inspect()
    let copy = try #require(first.names.first?.split(separator: "-").last)
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let script =
      "mkdir -m 700 '\(place)/signalbox'; read -r line < /proc/$$/stat; set -- ${line##*) }; "
      + "\(make) '\(place)/signalbox/inspect-'$$-${20}-\(copy); exec setarch -R '\(InspectedProgram.programs)InspectProbe' busy"
    let program = try InspectedProgram([], place: place, words: ["/bin/bash", "-c", script])
    #expect(program.awaitError("is no socket of this user's: remove it"), "\(program.errorText)")
    #expect(program.names.count == 1)
  }

  @Test("Whoever listens under another process's name is not believed")
  func impostor() throws {
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let program = try InspectedProgram(["busy"], isPrepared: false)
    let process = try #require(OtherProcess(program.child.id))
    let listener = try LocalListener(at: RawString("\(place)/inspect-\(process.id)-\(process.start)-0"))
    #expect(InspectionPlace.paths(of: process).count == 1)
    #expect(refusal(process.id)?.kind == .notPrepared)
    withExtendedLifetime(listener) {}
  }

  @Test("A value that is neither 0 nor 1 is reported")
  func value() throws {
    let program = try InspectedProgram(["busy"], adding: ["SIGNALBOX_INSPECT": "yes"])
    #expect(program.awaitError("SIGNALBOX_INSPECT=yes is not 0 or 1: the program cannot be inspected"))
  }

  @Test("A program of 32 bits is known by its first bytes")
  func width() {
    #expect(InspectedProcess.is32Bit([0x7f, 0x45, 0x4c, 0x46, 1]))
    for bytes in [[0x7f, 0x45, 0x4c, 0x46, 2], [0x23, 0x21, 0x2f, 0x62, 1], [0x7f, 0x45, 0x4c, 0x46], []] as [[UInt8]] {
      #expect(!InspectedProcess.is32Bit(bytes))
    }
  }
}
