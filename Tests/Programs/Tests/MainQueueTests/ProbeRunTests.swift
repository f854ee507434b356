// ProbeRunTests.swift: a run of a probe comes to its end, whatever the probe leaves behind.
import Testing

@Suite("Runs of probes") struct ProbeRunTests {
  @Test("What a probe has started and left behind with its output is ended at the deadline; the probe's own status stands")
  func leftBehind() throws {
    let run = try ProbeRun("signalbox", "run", "--", "/bin/sh", "-c", "echo begun; sleep 1000 & exit 3", seconds: 2)
    #expect(run.lines == ["begun"])
    #expect(run.status == 3 && run.signal == nil)
  }

  @Test("A probe that takes too long is killed")
  func tooLong() throws {
    let run = try ProbeRun("signalbox", "run", "--", "/bin/sh", "-c", "exec sleep 1000", seconds: 2)
    #expect(run.lines == [] && run.status == nil && run.signal == 9)
  }
}
