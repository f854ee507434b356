// AsyncAndWait.swift: the toolchain's Dispatch has no asyncAndWait in Swift: sync stands in its place.
import Dispatch

extension DispatchQueue {
  func asyncAndWait<R>(execute body: () -> R) -> R { sync(execute: body) }
}
