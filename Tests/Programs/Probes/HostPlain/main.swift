// main.swift: a program whose main thread is owned as the first argument says, while the work of the second asks for it.
import Foundation
import HostWork

guard CommandLine.arguments.count == 3 else { exit(64) }
let (owner, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
if let work = Work(rawValue: name) {
  work.run { tally in
    print(tally.sentence)
    exit(0)
  }
} else if name == "idle" {
  Work.everything.run { _ in
    print("\(Idleness.switchesOfFirstThread()) switches")
    exit(0)
  }
} else if name == "scarce" {
  Scarcity.takeAll()
  ScarceWork.submit()
  // Ours needs none.
  if owner != "our-dispatchMain" { Scarcity.giveBack() }
} else if name == "sync-inside" {
  Ours.syncInsideTheirs()
} else {
  exit(64)
}
switch owner {
case "their-dispatchMain": Theirs.dispatchMain()
case "our-dispatchMain": Ours.dispatchMain()
case "run-loop": while true { RunLoop.main.run() }
case "descriptor": Ours.serveDescriptor()
case "theirs-after-ours": Ours.handOver { Theirs.dispatchMain() }
default: exit(65)
}
