// ChildProcessTests.swift: programs started by this one: what they write, how they end, and that none is left.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Child processes") struct ChildProcessTests {
  private func run(_ script: String, adding variables: [String: String] = [:]) throws -> (ChildProcess, ChildProcess.Ending) {
    let child = try ChildProcess("/bin/sh", ["-c", script], adding: variables)
    while child.read(milliseconds: 100) {}
    return (child, child.wait())
  }

  @Test("A child's two outputs and its exit status arrive")
  func bothOutputsAndTheStatusArrive() throws {
    let (child, ending) = try run("echo out; echo err >&2; exit 3")
    #expect(ending == .exited(3))
    #expect(child.takeLines() == ["out"])
    #expect(child.errorOutput == Array("err\n".utf8))
    #expect(child.wait() == .exited(3), "asked again it says the same")
  }

  @Test("A child's lines are handed out once they are complete")
  func linesAreHandedOutOnceTheyAreComplete() throws {
    let (child, _) = try run("printf 'one\\ntwo\\nthr'")
    #expect(child.takeLines() == ["one", "two"])
    #expect(child.takeLines() == [])
    #expect(child.output == Array("thr".utf8))
  }

  @Test("Much output does not block the child")
  func muchOutputDoesNotBlockTheChild() throws {
    let (child, ending) = try run(
      "i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done")
    #expect(ending == .exited(0))
    #expect(child.takeLines().count == 4000)
  }

  @Test("The child's environment has the added and replaced variables")
  func variablesAreAddedAndReplaced() throws {
    let (child, _) = try run("echo \"$LAB_A:$HOME\"", adding: ["LAB_A": "1", "HOME": "/elsewhere"])
    #expect(child.takeLines() == ["1:/elsewhere"])
  }

  @Test("The signal that ended a child is reported, and a killed child ends")
  func signalsAndKilling() throws {
    #expect(try run("kill -ABRT $$").1 == .signalled(SIGABRT))
    let child = try ChildProcess("/bin/sh", ["-c", "exec sleep 60"])
    child.kill()
    #expect(child.wait() == .signalled(SIGKILL))
  }

  @Test("A child's standard input is empty")
  func standardInputIsEmpty() throws { #expect(try run("read x || echo empty").0.takeLines() == ["empty"]) }

  @Test("Starting a program that does not exist is an error")
  func whatIsNotThereIsAnError() {
    #expect(throws: SystemError(call: "posix_spawn", code: ENOENT)) { try ChildProcess("/nowhere/at/all", []) }
  }

  @Test("A child that nobody refers to any more is ended")
  func aDroppedChildIsEnded() throws {
    let id = try ChildProcess("/bin/sh", ["-c", "exec sleep 60"]).id
    #expect(kill(id, 0) == -1 && errno == ESRCH)
  }

  @Test("The state of another process's threads can be read")
  func threadsOfAnotherProcessCanBeRead() throws {
    let child = try ChildProcess("/bin/sh", ["-c", "exec sleep 60"])
    // It is awake while it starts, and again and again: that it was ever seen asleep is what counts.
    #expect(eventually { KernelThread.sample(UInt64(child.id), ofProcess: child.id)?.isWaiting == true })
    #expect(KernelThread.sample(1 << 30, ofProcess: child.id) == nil)
  }
}
