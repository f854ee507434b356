// ChannelNameTests.swift: channels and data by their C names. Sources are SourceNameTests.swift.
import Glibc
import SignalboxCNames
import Testing

@Suite("Channels and data by their C names") struct ChannelNameTests {
  private static func data(_ text: String) -> dispatch_data_t {
    Array(text.utf8).withUnsafeBytes { dispatch_data_create($0.baseAddress, $0.count, nil, nil) }
  }
  private static func text(_ data: dispatch_data_t) -> String { String(decoding: data, as: UTF8.self) }

  @Test("Bytes go through a pipe by a channel at each end")
  func bytesGoThroughAPipe() throws {
    let ends = UnsafeMutablePointer<Int32>.allocate(capacity: 2)
    defer { ends.deallocate() }
    try #require(pipe(ends) == 0)
    let (reading, writing) = (ends[0], ends[1]), queue = dispatch_queue_create("pipe", nil)
    let closed = dispatch_semaphore_create(0), order = Recorder<String>()
    let channel = dispatch_io_create(DISPATCH_IO_STREAM, reading, queue) { error in
      order.add("cleanup \(error)")
      close(reading)
      dispatch_semaphore_signal(closed)
    }
    #expect(dispatch_io_get_descriptor(channel) == reading)
    dispatch_io_set_low_water(channel, -1)
    dispatch_io_read(channel, 0, -1, queue) { done, data, error in
      if let data, !data.isEmpty { order.add("read \(Self.text(data)) \(error)") }
      if done { order.add("done") }
    }
    dispatch_io_close(channel, 0)
    dispatch_write(writing, Self.data("hello"), queue) { rest, error in
      order.add("wrote, rest \(rest?.count ?? 0), \(error)")
      close(writing)
    }
    #expect(dispatch_semaphore_wait(closed, eventually()) == 0)
    #expect(order.elements == ["wrote, rest 0, 0", "read hello 0", "done", "cleanup 0"])
  }

  @Test("Channels write files and read them")
  func filesAreWrittenAndRead() throws {
    let path = "/tmp/signalbox-channel-\(getpid())", queue = dispatch_queue_create("file", nil)
    defer { unlink(path) }
    let order = Recorder<String>(), over = dispatch_semaphore_create(0)
    let channel = dispatch_io_create_with_path(DISPATCH_IO_RANDOM, path, O_RDWR | O_CREAT, 0o600, queue) { error in
      order.add("cleanup \(error)")
      dispatch_semaphore_signal(over)
    }
    dispatch_io_write(channel, 2, Self.data("cd"), queue) { done, _, error in if done { order.add("wrote \(error)") } }
    dispatch_io_barrier(channel) { order.add("barrier") }
    dispatch_io_write(channel, 0, Self.data("ab"), queue) { _, _, _ in }
    dispatch_io_barrier(channel) {}
    dispatch_io_set_high_water(channel, 3)
    dispatch_io_set_interval(channel, NSEC_PER_SEC, DISPATCH_IO_STRICT_INTERVAL)
    dispatch_io_read(channel, 0, .max, queue) { done, data, error in
      #expect(error == 0 && (data?.count ?? 0) <= 3)
      if let data, !data.isEmpty { order.add(Self.text(data)) }
      if done { dispatch_semaphore_signal(over) }
    }
    #expect(dispatch_semaphore_wait(over, eventually()) == 0)
    let copy = dispatch_io_create_with_io(DISPATCH_IO_STREAM, channel, queue, nil)
    #expect(copy != nil)
    for channel in [channel, copy] { dispatch_io_close(channel, DISPATCH_IO_STOP) }
    #expect(dispatch_semaphore_wait(over, eventually()) == 0)
    #expect(order.elements.filter { $0 != "wrote 0" && $0 != "barrier" } == ["abc", "d", "cleanup 0"])
    #expect(order.elements.contains("barrier") && order.elements.contains("wrote 0"))
  }

  @Test("A channel of a path or descriptor that does not exist is nil")
  func whatDoesNotExistGivesNil() {
    let queue = dispatch_queue_create("none", nil)
    #expect((dispatch_io_create(7, 0, queue, nil) as dispatch_io_t?) == nil)
    let type = dispatch_io_type_t(DISPATCH_IO_STREAM)
    #expect((dispatch_io_create_with_path(type, "relative", 0, 0, queue, nil) as dispatch_io_t?) == nil)
  }

  @Test("Data is joined, cut, and visited region by region")
  func dataIsJoinedCutAndVisited() {
    let whole = dispatch_data_create_concat(Self.data("hello, "), Self.data("world"))
    #expect(dispatch_data_get_size(whole) == 12 && Self.text(whole) == "hello, world")
    #expect(Self.text(dispatch_data_create_subrange(whole, 5, 4)) == ", wo")
    #expect(Self.text(dispatch_data_create_subrange(whole, 5, -1)) == ", world")
    for (offset, length) in [(12, 1), (-1, 1), (3, 0)] {
      #expect(dispatch_data_get_size(dispatch_data_create_subrange(whole, offset, length)) == 0)
    }
    var visited: [String] = []
    let isComplete = dispatch_data_apply(whole) { region, offset, bytes, size in
      #expect(region.count == size)
      visited.append("\(offset) \(String(decoding: UnsafeRawBufferPointer(start: bytes, count: size), as: UTF8.self))")
      return true
    }
    #expect(isComplete && visited == ["0 hello, ", "7 world"])
    #expect(!dispatch_data_apply(whole) { _, _, _, _ in false })
    #expect(dispatch_data_apply(dispatch_data_empty) { _, _, _, _ in false })
    var offset = -1
    #expect(Self.text(dispatch_data_copy_region(whole, 8, &offset)) == "world" && offset == 7)
    #expect(dispatch_data_copy_region(whole, 12, &offset).isEmpty && offset == 12)
  }

  @Test("A map of data has all its bytes in a row")
  func mapsAreInARow() {
    var start: UnsafeRawPointer?
    var size = -1
    let map = dispatch_data_create_map(dispatch_data_create_concat(Self.data("ab"), Self.data("c")), &start, &size)
    withExtendedLifetime(map) {
      #expect(String(decoding: UnsafeRawBufferPointer(start: start, count: size), as: UTF8.self) == "abc")
    }
    #expect(dispatch_data_create_map(dispatch_data_empty, &start, &size).isEmpty && start == nil && size == 0)
    #expect(dispatch_data_create_map(map, nil, nil).count == 3)
  }

  @Test("The destructor gives each buffer back")
  func buffersAreGivenBack() {
    let queue = dispatch_queue_create("destructor", nil), gone = dispatch_semaphore_create(0)
    let buffer = UnsafeRawPointer(strdup("hello")!), address = UInt(bitPattern: buffer)
    do {
      let data = dispatch_data_create(buffer, 5, queue) {
        free(UnsafeMutableRawPointer(bitPattern: address))
        dispatch_semaphore_signal(gone)
      }
      #expect(Self.text(data) == "hello")
    }
    #expect(dispatch_semaphore_wait(gone, eventually()) == 0)
    _ = dispatch_data_create(nil, 0, queue) { dispatch_semaphore_signal(gone) }
    #expect(dispatch_semaphore_wait(gone, eventually()) == 0, "no bytes: at once")
    let freed = dispatch_data_create(UnsafeRawPointer(strdup("ab")!), 2, nil, DISPATCH_DATA_DESTRUCTOR_FREE)
    #expect(Self.text(freed) == "ab")
    let page = mmap(nil, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    #expect(dispatch_data_create(page, 4096, nil, DISPATCH_DATA_DESTRUCTOR_MUNMAP).count == 4096)
    #expect(Self.text(dispatch_data_create("xy", 2, nil, DISPATCH_DATA_DESTRUCTOR_DEFAULT)) == "xy")
  }
}
