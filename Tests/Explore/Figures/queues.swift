// queues.swift: what a schedule of a small program with queues costs; it computes nothing. For Scripts/explore-figures.
import Dispatch

let first = DispatchQueue(label: "first"), second = DispatchQueue(label: "second")
let group = DispatchGroup()
for _ in 0..<4 {
  first.async(group: group) { second.sync {} }
  second.async(group: group) {}
}
group.wait()
