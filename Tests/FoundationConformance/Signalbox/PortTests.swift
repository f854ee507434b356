// PortTests.swift: subclasses of Foundation's that are put on run loops, written as everywhere.
import Testing

extension Conformance {
  @Suite("Ports and streams") struct Ports {
    /// Notes on which loops it is put, as a subclass of `Port` or `Stream` does.
    final class Noting: Port, @unchecked Sendable {
      var notes: [String] = []
      override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { notes.append("on \(mode.rawValue)") }
      override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { notes.append("off \(mode.rawValue)") }
    }
    final class NotingStream: InputStream {
      var notes: [String] = []
      override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { notes.append("on \(mode.rawValue)") }
      override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { notes.append("off \(mode.rawValue)") }
    }

    @Test("A port gets a call with the loop it is put on, from the loop and from whoever names a loop")
    func port() async {
      await isolated {
        let port = Noting()
        RunLoop.current.add(port, forMode: .default)
        RunLoop.current.remove(port, forMode: .default)
        port.schedule(in: .current, forMode: .common)
        port.remove(from: RunLoop.current, forMode: .common)
        let (first, second) = (RunLoop.Mode.default.rawValue, RunLoop.Mode.common.rawValue)
        expectEqual(port.notes, ["on \(first)", "off \(first)", "on \(second)", "off \(second)"])
      }
    }

    @Test("A stream gets a call with the loop it is put on")
    func stream() async {
      await isolated {
        let stream = NotingStream(data: Data())
        stream.schedule(in: .current, forMode: .default)
        stream.remove(from: RunLoop.current, forMode: .default)
        expectEqual(stream.notes.map { String($0.prefix(3)) }, ["on ", "off"])
      }
    }
  }
}
