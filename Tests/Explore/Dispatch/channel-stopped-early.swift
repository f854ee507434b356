// channel-stopped-early.swift: a line is read through a channel, and the owner stops the channel when it must long have come.
// A reader that is late finds its read stopped, and the line is lost.
// Fix: the channel is closed without stopping what is under way; its reader then has the line, however late it is.
import Dispatch
import Glibc

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

var ends: [Int32] = [0, 0]
guard pipe(&ends) == 0, write(ends[1], "line\n", 5) == 5 else { fail("no pipe") }
let lines = DispatchQueue(label: "lines")
nonisolated(unsafe) var line = 0  // SAFETY: used on `lines` alone.
let closed = DispatchSemaphore(value: 0)
let channel = DispatchIO(type: .stream, fileDescriptor: ends[0], queue: lines) { @Sendable _ in closed.signal() }
channel.read(offset: 0, length: 5, queue: lines) { @Sendable _, data, _ in line += data?.count ?? 0 }
for _ in 0..<3 { usleep(40_000) }
#if MENDED
channel.close()
#else
channel.close(flags: .stop)
#endif
closed.wait()
if lines.sync(execute: { line }) != 5 { fail("the line is lost") }
