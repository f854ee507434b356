// main.swift: a program whose main thread, or another one, waits in one of its two loops for what a row begins: `LoopProbe main ours
// process-wait`. Prints "served" and ends when that was. `LoopProbe symbols` prints a call stack; `LoopProbe scarce`: ScarceBridges.
import Glibc
import LoopRows
import SignalboxFoundation

/// Of this name in the call stack, with this file.
@inline(never)
func namesItsCallers() -> [String] { Thread.callStackSymbols }

func run(_ row: Row, _ wait: Wait) -> Never {
  row.begin {
    say("served")
    exit(0)
  }
  wait.run()
}

if CommandLine.arguments.dropFirst() == ["symbols"] {
  for line in namesItsCallers() { say(line) }
  exit(0)
}
if CommandLine.arguments.dropFirst() == ["scarce"] { ScarceBridges.run() }
guard CommandLine.arguments.count == 4, let wait = Wait(rawValue: CommandLine.arguments[2]),
  let row = Row(rawValue: CommandLine.arguments[3])
else { exit(64) }
switch CommandLine.arguments[1] {
case "main": run(row, wait)
case "other":
  Thread.detachNewThread { run(row, wait) }
  while true { pause() }
default: exit(65)
}
