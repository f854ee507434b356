// main.swift: a program that knows nothing of Signalbox and uses the toolchain's Dispatch broadly. What it prints is the same at
// every run; times are compared, never printed. It ends in dispatchMain, by an exit from the main queue.
import Dispatch
import Glibc

func say(_ chapter: String, _ result: some Any) {
  print("\(chapter): \(result)")
  fflush(nil)
}

for chapter in [
  serial, concurrent, globals, groups, groupTimeouts, workItems, cancelledItems, barriers, perform, semaphores, delays,
  specifics,
  suspension, activation, targets, attributes, timers, preconditions,
] { chapter() }

// The end is reached through the main queue: first an item, then one of a group, then the last.
let mainKey = DispatchSpecificKey<String>()
DispatchQueue.main.setSpecific(key: mainKey, value: "main")
DispatchQueue.main.async {
  dispatchPrecondition(condition: .onQueue(.main))
  say("main queue", DispatchQueue.getSpecific(key: mainKey) ?? "nobody's")
  let group = DispatchGroup()
  for _ in 0..<10 { DispatchQueue.global().async(group: group) {} }
  group.notify(queue: .main) {
    say("notified on main", DispatchQueue.getSpecific(key: mainKey) ?? "nobody's")
    DispatchQueue.global().async {
      let fromMain = DispatchQueue.main.sync { DispatchQueue.getSpecific(key: mainKey) ?? "nobody's" }
      say("sync to main", fromMain)
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) {
        say("end", "status 5")
        exit(5)
      }
    }
  }
}
dispatchMain()
