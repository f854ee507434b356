// main.swift: the probe of the main queue: runs the scenario named on the command line and prints what it saw. The tests
// in MainQueueTests run it on both libraries and compare.
import Glibc

_ = mainThread
guard CommandLine.arguments.count == 2, let scenario = scenarios[CommandLine.arguments[1]] else {
  say("name one scenario of: " + scenarios.keys.sorted().joined(separator: " "))
  exit(64)
}
scenario()
dispatchMain()
