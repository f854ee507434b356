// SharedArray.swift: the array that the article on safe collections builds, in its shape: a concurrent queue, asynchronous
// barriers to write, sync to read. What Signalbox has in its place is in the other Subject.swift.
import Dispatch

// SAFETY: `elements` is read in items of the queue and written in its barriers.
final class SharedArray: @unchecked Sendable {
  private var elements: [Any] = []
  private let accessQueue = DispatchQueue(label: "SyncArrayAccess", attributes: .concurrent)

  func append(_ element: Any) {
    // SAFETY: a number.
    nonisolated(unsafe) let element = element
    accessQueue.async(flags: .barrier) { self.elements.append(element) }
  }

  var count: Int {
    var count = 0
    accessQueue.sync { count = self.elements.count }
    return count
  }

  subscript(index: Int) -> Any? {
    get {
      var element: Any?
      accessQueue.sync { if index < self.elements.count { element = self.elements[index] } }
      return element
    }
    set {
      // SAFETY: a number.
      nonisolated(unsafe) let newValue = newValue
      accessQueue.async(flags: .barrier) { if newValue != nil { self.elements[index] = newValue! } }
    }
  }
}
