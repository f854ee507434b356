// DataScenarios.swift: bytes in regions: joined, cut, read, freed. Reading files into them is ChannelScenarios.swift.
import SignalboxCNames
import SignalboxSystem

enum DataScenarios {
  static let all: [Scenario] = [
    Scenario(
      "data-concat-and-map", "Three pieces, joined and then laid in a row", .survey, "C8",
      article: "what was read is appended to other data, which copies it",
      documents: "concatenation represents both regions; a map is one contiguous region, whose bytes can be read in place"
    ) { lab in
      let whole = ["one ", "two ", "three"].map(bytes).reduce(dispatch_data_empty) { dispatch_data_create_concat($0, $1) }
      lab.note("\(regions(whole)) regions, \(dispatch_data_get_size(whole)) bytes")
      var start: UnsafeRawPointer?
      var size = 0
      let map = dispatch_data_create_map(whole, &start, &size)
      let found = withExtendedLifetime(map) {
        String(decoding: UnsafeRawBufferPointer(start: start, count: size), as: UTF8.self)
      }
      lab.note("mapped: \(regions(map)) region, \"\(found)\"")
      lab.expectOrder("3 regions, 13 bytes", "mapped: 1 region, \"one two three\"")
      return lab.order()
    },
    Scenario(
      "data-parts", "A part across two regions, and the region of one byte", .survey, "C8",
      article: "the size of data can be asked for",
      documents: "subranges and regions are data of their own; apply visits each region once, in order, until it is told to end"
    ) { lab in
      let whole = dispatch_data_create_concat(bytes(of: "the sky "), bytes(of: "is blue"))
      lab.note("subrange: \(text(of: dispatch_data_create_subrange(whole, 4, 6)))")
      var offset = 0
      let region = dispatch_data_copy_region(whole, 9, &offset)
      lab.note("byte 9 is in: \(text(of: region)), from \(offset) on")
      let isComplete = dispatch_data_apply(whole) { _, offset, _, size in
        lab.note("visited \(size) bytes at \(offset)")
        return false
      }
      lab.note(isComplete ? "complete" : "ended early")
      lab.expectOrder("subrange: sky is", "byte 9 is in: is blue, from 8 on", "visited 8 bytes at 0", "ended early")
      return lab.order()
    },
    Scenario(
      "data-given-back", "A buffer that part of the data still touches", .survey, "C8",
      article: "what the handler is given is copied into other data before the handler returns",
      documents: "the destructor runs on its queue at the last release of data that represents the buffer; nothing is copied"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.data", DISPATCH_QUEUE_SERIAL), gone = Gate(), size = 4096
      let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
      buffer.initializeMemory(as: UInt8.self, repeating: 65, count: size)
      let address = UInt(bitPattern: buffer)
      do {
        let part = Box(
          dispatch_data_create_subrange(
            dispatch_data_create(buffer, size, queue) {
              lab.note("given back")
              UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
              gone.open()
            }, 100, 10))
        dispatch_sync(queue) { lab.note("the whole is gone, a part is left: \(text(of: part.value))") }
        part.value = dispatch_data_empty
      }
      gone.pass()
      lab.expectOrder("the whole is gone, a part is left: AAAAAAAAAA", "given back")
      lab.expect(lab.events.last?.queue == "com.bool.data", "the destructor runs on its queue", "elsewhere")
      return lab.order()
    },
  ]

  private static func regions(_ data: dispatch_data_t) -> Int {
    var count = 0
    dispatch_data_apply(data) { _, _, _, _ in
      count += 1
      return true
    }
    return count
  }
}
