// main.swift: a service that does some work, on queues and in tasks, and shows its figures: to Prometheus on a port of
// this machine, and as lines of JSON on standard output, once a second. It ends with standard input.
import Exporters
import Glibc
import Signalbox

Snapshot.startCounting()
LockStatistics.start()
guard let scrapes = Scrapes({ prometheusText() + prometheusTaskText() }) else { fatalError("no port is free") }
print("# http://127.0.0.1:\(scrapes.port)/metrics")
let requests = DispatchQueue(label: "requests")
let lines = exportLines(every: .seconds(1)) { line in
  print(line, terminator: "")
  fflush(nil)
}
let work = DispatchSource.makeTimerSource(queue: .global())
work.schedule(deadline: .now(), repeating: .milliseconds(5))
work.setEventHandler { for number in 0..<20 { requests.async { _ = (0..<number * 1_000).reduce(0, &+) } } }
work.activate()
for number in 0..<4 {
  Task.detached(name: "poll \(number)") { while !Task.isCancelled { try await Task.sleep(for: .milliseconds(50)) } }
}
while readLine() != nil {}
