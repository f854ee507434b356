// ChannelScenarios.swift: reading and writing files and pipes by channels, from the survey's reading of a file. Data itself is
// DataScenarios.swift.
import SignalboxCNames
import SignalboxSystem

enum ChannelScenarios {
  static let all: [Scenario] = [
    Scenario(
      "io-read-file", "The survey's reading of a file", .survey, "C7",
      article: "a stream channel with the largest low water mark reads a file whole; the last call says that it is done",
      documents: "with that mark nothing is reported in parts; the descriptor is the program's again in the cleanup handler"
    ) { lab in lab.withFolder(files: ["poem"]) { try readFile(lab, "\($0)/poem") } },
    Scenario(
      "io-slices", "A large file, read in eight slices at once", .survey, "C7",
      article: "a large file is cut into slices that are read at once by asynchronous threads: that is faster",
      documents: "operations of a random access channel may go on at the same time, in any order; no speed is promised",
      scale: "the large file has 4 MiB"
    ) { lab in lab.withFolder(files: ["large"]) { try readSlices(lab, "\($0)/large") } },
    Scenario(
      "io-water-marks", "Both marks at 64 KiB", .survey, "C7",
      article: "the listing sets a low water mark; a high one is not spoken of",
      documents: "both marks at one size make every report that large, but the last"
    ) { lab in lab.withFolder(files: ["marked"]) { try readByMarks(lab, "\($0)/marked") } },
    Scenario(
      "io-barrier", "Two writes, a barrier, a read", .survey, "C7",
      article: "scheduling is like that of the other tasks",
      documents: "the barrier runs when all operations before it have completed; those after it wait until it has returned"
    ) { lab in lab.withFolder(files: ["written"]) { barrier(lab, "\($0)/written") } },
    Scenario(
      "io-stopped", "A read that would never end", .survey, "C7",
      article: "closing is done in the cleanup handler; how to abandon the channel is not stated",
      documents: "with DISPATCH_IO_STOP operations under way end with ECANCELED; so do those scheduled on a closed channel"
    ) { lab in lab.withPipe { stopped(lab, $0) } },
    Scenario(
      "io-errors", "A path that is not absolute, and a file that is not there", .survey, "C7",
      article: "the listing checks the error number of each call",
      documents: "NULL for the former; the latter is told to the operation, which opens the file, and to the cleanup handler"
    ) { lab in lab.withFolder(files: []) { absent(lab, "\($0)/nothing") } },
    Scenario(
      "io-without-a-channel", "A write to a pipe, and reads up to its end", .survey, "C7",
      article: "only channels are shown",
      documents: "dispatch_read gives what is there, once; no bytes and no error is the end of the stream"
    ) { lab in
      lab.withPipe { pipe in
        defer { Descriptors.close(pipe.reading) }
        let queue = dispatch_queue_create("com.bool.pipe", DISPATCH_QUEUE_SERIAL)
        lab.write("through the pipe", to: pipe.writing)
        Descriptors.close(pipe.writing)
        for _ in 1...2 {
          let told = Gate()
          dispatch_read(pipe.reading, .max, queue) { data, error in
            lab.expect(error == 0, "no error", "\(error)")
            lab.note(dispatch_data_get_size(data) == 0 ? "the end" : "read: \(text(of: data))")
            told.open()
          }
          told.pass()
        }
        lab.expectOrder("read: through the pipe", "the end")
        return lab.order()
      }
    },
  ]

  // MARK: bodies

  private static let poem = "The sky is blue, awaiting the mist and rain\nand I am waiting for you\n"

  private static func readFile(_ lab: Recorder, _ path: String) throws -> String {
    try PrivateFile.append(poem, to: path)
    let queue = dispatch_queue_create("com.bool.readfile", DISPATCH_QUEUE_SERIAL), closed = Gate()
    let descriptor = try Descriptors.open(RawString(path), flags: OpenFlag.read, mode: 0)
    let fileData = Box(dispatch_data_empty)
    do {
      let channel = dispatch_io_create(DISPATCH_IO_STREAM, descriptor, queue) { error in
        Descriptors.close(descriptor)
        lab.note("closed, error \(error)")
        closed.open()
      }
      dispatch_io_set_low_water(channel, .max)
      dispatch_io_read(channel, 0, .max, queue) { done, data, error in
        if error == 0, dispatch_data_get_size(data) > 0 {
          fileData.value = dispatch_data_create_concat(fileData.value, data)
          lab.note("all \(dispatch_data_get_size(data)) bytes")
        }
        if done { lab.note("read file completed, error \(error)") }
      }
    }
    closed.pass()  // no code closes the channel: it goes with its last reference; its read goes on until it is through
    lab.expect(text(of: fileData.value) == poem, "the text of the file", text(of: fileData.value))
    lab.expectOrder("all \(poem.utf8.count) bytes", "read file completed, error 0", "closed, error 0")
    return lab.order()
  }

  /// Writes a file of `count` bytes, each of which depends on its place, and returns them.
  private static func fill(_ lab: Recorder, _ path: String, _ count: Int) -> dispatch_data_t {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 11) }, written = Gate()
    let data = bytes.withUnsafeBytes { dispatch_data_create($0.baseAddress, count, nil, DISPATCH_DATA_DESTRUCTOR_DEFAULT) }
    let flags = OpenFlag.write | OpenFlag.create
    let channel = dispatch_io_create_with_path(DISPATCH_IO_STREAM, path, flags, 0o600, DispatchQueue.global()) { error in
      lab.expect(error == 0, "the file is written", "error \(error)")
      written.open()
    }
    dispatch_io_write(channel, 0, data, DispatchQueue.global()) { _, _, error in
      lab.expect(error == 0, "all is written", "error \(error)")
    }
    dispatch_io_close(channel, 0)
    written.pass()
    return data
  }

  private static func readSlices(_ lab: Recorder, _ path: String) throws -> String {
    let slice = 512 << 10, parts = (0..<8).map { _ in Box(dispatch_data_empty) }
    let content = fill(lab, path, parts.count * slice), group = dispatch_group_create(), closed = Gate()
    let queue = dispatch_queue_create("com.bool.slices", DISPATCH_QUEUE_CONCURRENT)
    let channel = dispatch_io_create_with_path(DISPATCH_IO_RANDOM, path, OpenFlag.read, 0, queue) { _ in closed.open() }
    for (index, part) in parts.enumerated() {
      dispatch_group_enter(group)
      dispatch_io_read(channel, index * slice, slice, queue) { done, data, error in
        lab.expect(error == 0, "slice \(index) without an error", "\(error)")
        if let data { part.value = dispatch_data_create_concat(part.value, data) }
        guard done else { return }
        lab.note("slice \(index) of \(part.value.count) bytes")
        dispatch_group_leave(group)
      }
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
    dispatch_io_close(channel, 0)
    closed.pass()
    let whole = parts.reduce(dispatch_data_empty) { dispatch_data_create_concat($0, $1.value) }
    lab.expect(array(of: whole) == array(of: content), "the slices in their order are the file", "they differ")
    return "eight slices, together the file: \(lab.threads().joined(separator: ", "))"
  }

  private static func readByMarks(_ lab: Recorder, _ path: String) throws -> String {
    let mark = 64 << 10, count = 5 * mark + 100, sizes = Box<[Int]>([]), done = Gate()
    _ = fill(lab, path, count)
    let queue = dispatch_queue_create("com.bool.marks", DISPATCH_QUEUE_SERIAL)
    let channel = dispatch_io_create_with_path(DISPATCH_IO_STREAM, path, OpenFlag.read, 0, queue, nil)
    dispatch_io_set_high_water(channel, mark)
    dispatch_io_set_low_water(channel, mark)
    dispatch_io_read(channel, 0, .max, queue) { isLast, data, error in
      lab.expect(error == 0, "no error", "\(error)")
      if let data, dispatch_data_get_size(data) > 0 {
        sizes.value.append(data.count)
        lab.note("\(data.count) bytes")
      }
      if isLast { done.open() }
    }
    done.pass()
    dispatch_io_close(channel, 0)
    let wanted = Array(repeating: mark, count: 5) + [100]
    lab.expect(sizes.value == wanted, "five times \(mark), then 100", "\(sizes.value)")
    return "\(sizes.value)"
  }

  private static func barrier(_ lab: Recorder, _ path: String) -> String {
    let queue = dispatch_queue_create("com.bool.barrier", DISPATCH_QUEUE_SERIAL), read = Gate(), closed = Gate()
    let flags = OpenFlag.readWrite | OpenFlag.create
    let channel = dispatch_io_create_with_path(DISPATCH_IO_RANDOM, path, flags, 0o600, queue) { _ in closed.open() }
    for (offset, part) in [(4, "BBBB"), (0, "AAAA")] {
      dispatch_io_write(channel, offset, bytes(of: part), queue) { _, _, error in
        lab.expect(error == 0, "\(part) is written", "error \(error)")
      }
    }
    dispatch_io_barrier(channel) {
      let found = try? FileBytes(RawString(path)).read(at: 0, count: 100)
      lab.note("barrier: the file holds \(String(decoding: found ?? [], as: UTF8.self))")
    }
    dispatch_io_read(channel, 0, 8, queue) { done, data, _ in
      if let data, dispatch_data_get_size(data) > 0 { lab.note("read after it: \(text(of: data))") }
      if done { read.open() }
    }
    read.pass()
    dispatch_io_close(channel, 0)
    closed.pass()
    lab.expectOrder("barrier: the file holds AAAABBBB", "read after it: AAAABBBB")
    return lab.order()
  }

  private static func stopped(_ lab: Recorder, _ pipe: PipeEnds) -> String {
    let queue = dispatch_queue_create("com.bool.stop", DISPATCH_QUEUE_SERIAL), closed = Gate(), refused = Gate()
    let channel = dispatch_io_create(DISPATCH_IO_STREAM, pipe.reading, queue) { _ in
      lab.note("the descriptor is ours again")
      for descriptor in [pipe.reading, pipe.writing] { Descriptors.close(descriptor) }
      closed.open()
    }
    func read(_ name: String, _ told: Gate) {
      dispatch_io_read(channel, 0, .max, queue) { done, _, error in
        guard done else { return }
        lab.note("\(name): \(error == ErrorNumber.cancelled ? "ECANCELED" : "error \(error)")")
        told.open()
      }
    }
    let ended = Gate()
    read("the read under way", ended)
    dispatch_io_close(channel, DISPATCH_IO_STOP)
    ended.pass()
    read("a read after closing", refused)
    refused.pass()
    closed.pass()
    lab.expectOrder("the read under way: ECANCELED", "a read after closing: ECANCELED")
    lab.expectAll(["the descriptor is ours again"], beginning: "the descriptor")
    return lab.order()
  }

  private static func absent(_ lab: Recorder, _ path: String) -> String {
    let queue = dispatch_queue_create("com.bool.absent", DISPATCH_QUEUE_SERIAL), told = Gate(), closed = Gate()
    let relative = dispatch_io_create_with_path(DISPATCH_IO_STREAM, "relative/path", OpenFlag.read, 0, queue, nil)
    lab.note(relative == nil ? "relative: NULL" : "relative: a channel")
    let channel = dispatch_io_create_with_path(DISPATCH_IO_STREAM, path, OpenFlag.read, 0, queue) { error in
      lab.note("cleanup: \(error == ErrorNumber.noEntry ? "ENOENT" : "error \(error)")")
      closed.open()
    }
    lab.expect(channel != nil, "a channel, whose file nobody has opened yet", "NULL")
    dispatch_io_read(channel, 0, .max, queue) { done, data, error in
      guard done else { return }
      lab.expect(data == nil, "no data with the error", "some")
      lab.note("read: \(error == ErrorNumber.noEntry ? "ENOENT" : "error \(error)")")
      told.open()
    }
    told.pass()
    dispatch_io_close(channel, 0)
    closed.pass()
    lab.expectOrder("relative: NULL", "read: ENOENT")
    lab.expectAll(["cleanup: ENOENT"], beginning: "cleanup")
    return lab.order()
  }
}
