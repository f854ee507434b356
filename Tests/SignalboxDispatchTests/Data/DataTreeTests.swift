// DataTreeTests.swift: the tree behind data: its shape after any joining and cutting, what grows in place, what is kept.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

/// Bytes that count up from `first`, as one region.
func region(_ count: Int, from first: Int = 0) -> DispatchData {
  let bytes = (first..<first + count).map { UInt8(truncatingIfNeeded: $0) }
  return bytes.withUnsafeBytes { DispatchData(bytes: $0) }
}

/// This many regions of `length` bytes.
func regions(_ count: Int, length: Int = 1) -> DispatchData {
  var data = DispatchData.empty
  for number in 0..<count { data.append(region(length, from: number * length)) }
  return data
}

@Suite("The tree of data") struct DataTreeTests {
  /// What is wrong with the tree, if anything: widths, heights, ends, sizes.
  private func defects(_ node: DataNode, isRoot: Bool = true) -> [String] {
    guard node.height > 0 else { return node.total > 0 ? [] : ["a region of no bytes"] }
    var found: [String] = [], end = 0
    let width = Int(node.used)
    if width > DataNode.most || width < (isRoot ? 2 : DataNode.most / 2) { found.append("\(width) children") }
    if node.used > node.capacity { found.append("more children than room") }
    for index in 0..<width {
      let entry = node.entries[index]
      let child = entry.node.takeUnretainedValue()
      if child.height != node.height - 1 { found.append("a child of height \(child.height) below \(node.height)") }
      let count = entry.end - end
      if child.height > 0 && count != child.total { found.append("an end that is not the child's") }
      if child.height == 0 {
        let first = UnsafeRawPointer(child.first)
        let isInside = count > 0 && entry.start >= first && entry.start + count <= first + child.total
        if !isInside { found.append("bytes outside of the region") }
      }
      end = entry.end
      if child.height > 0 { found += defects(child, isRoot: false) }
    }
    if end != node.total { found.append("\(node.total) bytes that end at \(end)") }
    return found
  }

  private func check(_ data: DispatchData, location: SourceLocation = #_sourceLocation) {
    guard let node = data.node else { return }
    let found = defects(node)
    #expect(found.isEmpty, "\(found.prefix(5))", sourceLocation: location)
  }

  @Test("Trees keep their shape however they grow", arguments: [1, 2, 3, 4, 5, 31, 32, 33, 64, 65, 500, 1024, 1025, 5000])
  func growth(count: Int) {
    var back = DispatchData.empty, front = DispatchData.empty, shared = DispatchData.empty
    for number in 0..<count {
      back.append(region(1, from: number))
      var next = region(1, from: number)
      next.append(front)
      front = next
      let before = shared  // a second reference: nothing grows in place
      shared.append(region(1, from: number))
      #expect(before.count == number)
      if number % 97 == 0 { check(shared) }
    }
    for data in [back, front, shared] {
      check(data)
      #expect(data.count == count)
    }
    #expect(Array(back) == Array(shared) && Array(front) == Array(back).reversed())
    #expect(back.node.map { Double($0.height) <= log(Double(count)) / log(16) + 2 } ?? true)
  }

  @Test("Trees keep their shape when trees of any two sizes are joined and cut anywhere", arguments: [1, 2, 3] as [UInt64])
  func joins(seed: UInt64) {
    var random = Generator(state: seed)
    let sizes = [1, 2, 15, 16, 17, 31, 32, 33, 100, 511, 512, 513, 1100]
    for left in sizes {
      for right in sizes {
        var joined = regions(left)
        joined.append(regions(right))
        check(joined)
        #expect(joined.count == left + right)
        for _ in 0..<4 {
          let lower = random.number(below: joined.count), upper = lower + 1 + random.number(below: joined.count - lower)
          let part = joined.subdata(in: lower..<upper)
          check(part)
          #expect(part.elementsEqual(joined[lower..<upper]))
        }
      }
    }
  }

  @Test("A chain of 100,000 appends is linear, and so is its end")
  func longChain() {
    func cost(_ count: Int) -> UInt64 {
      threadTime {
        let data = regions(count)
        #expect(data.count == count)
      }
    }
    _ = cost(1_000)
    // Ten times as many; a square would cost a hundred times.
    let few = best(of: 5, within: 0) { cost(10_000) }
    let many = best(of: 5, within: 30 * few) { cost(100_000) }
    #expect(many <= 30 * few, "\(many) ns after \(few) ns")
  }

  @Test("A chain of 100,000 shared appends and its parts end without deep recursion")
  func longSharedChain() {
    var data = DispatchData.empty, kept: [DispatchData] = []
    for number in 0..<100_000 {
      if number % 1_000 == 0 { kept.append(data) }
      data.append(region(1, from: number))
    }
    check(data)
    #expect(kept.map(\.count) == (0..<100).map { $0 * 1_000 })
    kept = []
    // A small stack is enough for the end.
    let shared = Handover(data)
    data = .empty
    let thread = startThread { shared.value = .empty }
    pthread_join(thread, nil)
  }

  @Test("Growing in place makes no new branch")
  func inPlace() throws {
    var data = regions(2)
    let branch = ObjectIdentifier(try #require(data.node))
    for number in 2..<DataNode.most {
      data.append(region(1, from: number))
      #expect(data.node.map { ObjectIdentifier($0) } == branch)
    }
    let before = data
    data.append(region(1))
    #expect(data.node.map { ObjectIdentifier($0) } != branch)
    #expect(before.count == DataNode.most && data.count == DataNode.most + 1)
  }

  @Test("All bytes in a row are copied once, and again only after a change")
  func flat() throws {
    var data = regions(40, length: 10)
    let node = try #require(data.node)
    let first = node.flat, second = node.flat
    #expect(first === second && first.height == 0)
    #expect(first.flat === first)
    let address = data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in UnsafeRawPointer(bytes) }
    #expect(address == first.bytes)
    data.append(region(10, from: 400))
    #expect(data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in bytes[400] == 144 && bytes[0] == 0 })
  }

  @Test("A copy made for data that then grows in place is not taken for the longer data's")
  func flatOfGrownData() {
    var data = regions(2, length: 4)
    for number in 2..<20 {
      let sum = data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in (0..<data.count).reduce(0) { $0 + Int(bytes[$1]) } }
      #expect(sum == (0..<number * 4).reduce(0) { $0 + $1 % 256 })
      data.append(region(4, from: 4 * number))
    }
  }

  @Test("Slices of slices refer to the region that owns the memory")
  func slices() throws {
    let data = region(1_000)
    let owner = try #require(data.node)
    var part = data
    for _ in 0..<100 { part = part.subdata(in: 1..<part.count - 1) }
    #expect(part.count == 800 && part.first == 100)
    let node = try #require(part.node)
    #expect(node.bytes == owner.bytes.map { $0 + 100 })
  }
}

/// Numbers that are the same at every run.
struct Generator {
  var state: UInt64
  mutating func number(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}

/// Carries a value to a thread that is joined.
// SAFETY: the join orders the uses.
final class Handover<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Starts a thread with the smallest stack that the system allows, rounded up to 64 KiB.
func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 64 * 1_024)
  defer { pthread_attr_destroy(&attributes) }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Handover(body))
  let status = pthread_create(
    &thread, &attributes,
    {
      Unmanaged<Handover<@Sendable () -> Void>>.fromOpaque($0!).takeRetainedValue().value()
      return nil
    }, box.toOpaque())
  precondition(status == 0, "no thread for a test")
  return thread
}
