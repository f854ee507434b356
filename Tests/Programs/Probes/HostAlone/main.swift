// main.swift: a program in which Signalbox finds no other library, and a loop of its own that drains the main queue beside other work.
import Glibc
import Signalbox

/// By this name the other library is searched for. Found in the program itself it is nobody else's: so there is none, as in a program
/// that was linked without it.
@_cdecl("_dispatch_main_queue_callback_4CF") public func callback(_ message: UnsafeMutableRawPointer?) {}

private let inner = DispatchQueue(label: "inner", target: .main)
private let count = 1000
// SAFETY: used by items of one serial queue, and between them by the thread that drains it.
nonisolated(unsafe) private var ran = 0

/// An item that submits the next.
@Sendable private func goOn() {
  ran += 1
  if ran < count { inner.async(execute: goOn) }
}

_ = try MainQueue.descriptor()
inner.async(execute: goOn)
var drains = 0
while ran < count {
  MainQueue.drain()
  drains += 1
}
print("\(ran) items in \(drains) drains")
