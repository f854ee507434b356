// DataOwner.swift: whom a region's memory belongs to, and so what happens to it when its last reader is gone.
import SignalboxSystem

/// Where the memory of a region came from.
package enum DataOwner {
  /// Memory that is never freed.
  case nobody
  /// The C library's heap.
  case heap
  /// A mapping made by `mmap`.
  case mapping
  /// The caller who passed the memory in: freed by calling the destructor.
  case giver(DataDestructor)
  /// An object that contains the memory, such as the buffer of an I/O channel: released together with its last region.
  case object(AnyObject & Sendable)
  /// Another region, of which this one is a part. That region is never a slice itself, so slices form no chains.
  case slice(DataNode)

  /// The queue that a destructor was given with.
  var queue: DispatchQueue? { if case .giver(let destructor) = self { destructor.queue } else { nil } }

  /// Called once, when the region is gone; `count` is 0 for memory that never became one. A destructor is submitted to `target`,
  /// or else to its own queue.
  func give(back bytes: UnsafeRawPointer?, _ count: Int, on target: DispatchQueue? = nil) {
    switch self {
    case .nobody, .object, .slice: break
    case .heap: Memory.free(bytes)
    case .giver(let destructor): destructor.submit(to: target)
    case .mapping:
      guard let bytes, count > 0 else { return }  // no mapping is empty
      do { try Memory.unmap(bytes, count) } catch {
        Misuse.report("data of \(count) bytes at \(bytes) cannot be unmapped, they stay: \(error); give what mmap returned")
      }
    }
  }
}

/// A closure or a C function to be submitted once.
package final class DataDestructor: @unchecked Sendable {
  // SAFETY of @unchecked: never changes; the words are taken out by `submit`, which one thread calls, once.
  let queue: DispatchQueue?
  private let work: RawWork

  /// Runs `body` on `queue`; nil means the default global queue.
  init(_ queue: DispatchQueue?, _ body: @escaping () -> Void) {
    self.queue = queue
    work = RawWork(taking: body)
  }

  /// Calls a C function on `queue`; nil means the default global queue.
  package init(_ queue: DispatchQueue?, _ function: CWork) {
    self.queue = queue
    work = function.raw
  }

  /// Called once.
  func submit(to target: DispatchQueue?) {
    let place = target ?? queue ?? GlobalQueues.queue(for: .default)
    place.submit(CWork(raw: work)?.inSanitizedOrder(on: place).raw ?? work)
  }
}
