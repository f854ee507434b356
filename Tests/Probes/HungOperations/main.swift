// main.swift: a program on the toolchain's own Foundation, without Signalbox, to be inspected from outside: threads
// that wait for operations, as its argument says. It says "ready" once it has begun that. Ended by a signal.
//   HungOperations cycle   a thread waits for one of two operations that depend on each other
//   HungOperations lone    a thread waits for an operation that lies in no queue
//   HungOperations queue   an operation waits for all operations of its queue
import Foundation

func sleepForever() { while true { pause() } }

let queue = OperationQueue()
queue.name = "hung.operations"
queue.maxConcurrentOperationCount = 1

/// An operation of that name.
func named(_ name: String) -> BlockOperation {
  let operation = BlockOperation { print("never") }
  operation.name = name
  return operation
}

let kind = CommandLine.arguments.count == 2 ? CommandLine.arguments[1] : ""
let first = named("first"), second = named("second, which has a longer name")
switch kind {
case "cycle":
  first.addDependency(second)
  second.addDependency(first)
  queue.addOperations([first, second], waitUntilFinished: false)
case "lone": break
case "queue":
  let own = queue
  queue.addOperation { own.waitUntilAllOperationsAreFinished() }
default:
  print("usage: HungOperations cycle | lone | queue")
  exit(64)
}
print("ready")
fflush(nil)
if kind != "queue" { first.waitUntilFinished() }
sleepForever()
