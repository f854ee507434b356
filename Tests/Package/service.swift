// service.swift: a small service for Scripts/check-package, which knows nothing of Signalbox: answers its arguments, or else the lines of
// standard input, by queues and by tasks, until there are no more.
import Dispatch
import Glibc

/// A number that the items of one serial queue add to.
final class Sum: @unchecked Sendable {
  // SAFETY: owned by whoever made it; only items of `queue` touch `value`, one at a time.
  private var value = 0
  private let queue = DispatchQueue(label: "sum")

  func add(_ number: Int) { queue.async { self.value += number } }
  var total: Int { queue.sync { value } }
}

func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

/// The sum of the squares up to `count`, on the queues of whichever library there is.
func squares(_ count: Int) -> Int {
  let sum = Sum(), group = DispatchGroup()
  for number in 1...count { DispatchQueue.global().async(group: group) { sum.add(number * number) } }
  group.wait()
  return sum.total
}

/// The same by Swift's tasks.
func tasks(_ count: Int) -> Int {
  let sum = Sum(), done = DispatchSemaphore(value: 0)
  Task.detached {
    sum.add(
      await withTaskGroup(of: Int.self) { group in
        for number in 1...count { group.addTask { number * number } }
        return await group.reduce(0, +)
      })
    done.signal()
  }
  done.wait()
  return sum.total
}

/// Two queues that wait for each other: always, or only in some schedules.
func cross(always: Bool) {
  let accounts = DispatchQueue(label: "accounts"), journal = DispatchQueue(label: "journal")
  let group = DispatchGroup(), met = DispatchGroup()
  for _ in 0..<2 where always { met.enter() }
  for (first, second) in [(accounts, journal), (journal, accounts)] {
    DispatchQueue.global().async(group: group) {
      first.sync {
        if always {
          met.leave()
          met.wait()
        }
        second.sync {}
      }
    }
  }
  group.wait()
}

func answer(_ line: String) {
  let words = line.split(separator: " ").map(String.init)
  let number = words.last.flatMap { Int($0) } ?? 1
  switch words.first {
  case "squares": say("squares \(number) = \(squares(number))")
  case "tasks": say("tasks \(number) = \(tasks(number))")
  case "cross":
    cross(always: false)
    say("crossed")
  case "hang":
    cross(always: true)
    say("never")
  default: say("what is \"\(line)\"?")
  }
}

let lines = CommandLine.arguments.dropFirst()
if lines.isEmpty {
  while let line = readLine() { answer(line) }
} else {
  lines.forEach(answer)
}
