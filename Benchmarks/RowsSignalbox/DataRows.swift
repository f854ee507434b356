// DataRows.swift: pieces of data: making, joining, cutting, reading.
import BenchSupport

func dataRows() -> [Row] { makingRows() + joiningRows() + readingRows() }

private func makingRows() -> [Row] {
  [
    Row("data-create", .data, "make data of a copy of 64 bytes, free it", bar: .notSlower, floor: .allocation(bytes: 64)) {
      let bytes = [UInt8](repeating: 1, count: 64)
      return .timed { count in
        bytes.withUnsafeBytes { bytes in for _ in 0..<count { keep(UInt64(DispatchData(bytes: bytes).count)) } }
      }
    }
  ]
}

private func joiningRows() -> [Row] {
  [
    Row("data-concat", .data, "join two pieces of data, free the result", bar: .notSlower, floor: .allocation(bytes: 96)) {
      let (left, right) = (regions(1), regions(1))
      return .timed { count in
        for _ in 0..<count {
          var joined = left
          joined.append(right)
          keep(UInt64(joined.count))
        }
      }
    },
    Row("data-append", .data, "append a region, up to 16 of them", bar: .notSlower, floor: .allocation(bytes: 96)) {
      let piece = regions(1)
      return .timed { count in append(piece, count: count, upTo: 16) }
    },
    Row(
      "data-append-many", .data, "append a region, up to 4,000 of them", bar: .ratio(2), floor: .allocation(bytes: 96),
      batch: .fixed(4_000)
    ) {
      let piece = regions(1)
      return .timed { count in append(piece, count: count, upTo: 4_000) }
    },
    Row("data-subrange", .data, "cut 3 of 64 regions out, free the part", bar: .notSlower, floor: .allocation(bytes: 96)) {
      let data = regions(64)
      return .timed { count in
        for number in 0..<count {
          let lower = number * 7_919 % (61 * regionBytes)
          keep(UInt64(data.subdata(in: lower..<lower + 3 * regionBytes).count))
        }
      }
    },
  ]
}

private func readingRows() -> [Row] {
  [
    Row("data-map", .data, "join 4 regions of 1 KiB and read them in a row", bar: .notSlower, floor: .allocation(bytes: 4_096))
    {
      let piece = regions(1)
      return .timed { count in
        for _ in 0..<count {
          var data = piece
          for _ in 0..<3 { data.append(piece) }
          keep(data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in UInt64(bytes[1]) })
        }
      }
    },
    Row("data-map-again", .data, "read 4 regions of 1 KiB in a row, once more", bar: .notSlower, floor: .body(calls: 1)) {
      let data = regions(4)
      return .timed { count in
        for _ in 0..<count { keep(data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in UInt64(bytes[1]) }) }
      }
    },
    Row(
      "data-iterate", .data, "a byte of a walk through 16 regions of 1 KiB", bar: .ratio(2), floor: .body(calls: 1),
      batch: .elastic(minimum: 16 * regionBytes)
    ) {
      let data = regions(16)
      return .timed { count in
        var sum: UInt64 = 0
        for _ in 0..<count / data.count { for byte in data { sum &+= UInt64(byte) } }
        keep(sum)
      }
    },
    Row("data-index", .data, "read a byte of 64 regions by its index", bar: .notSlower, floor: .body(calls: 1)) {
      let data = regions(64)
      return .timed { count in for number in 0..<count { keep(UInt64(data[number * 7_919 % (64 * regionBytes)])) } }
    },
    Row("data-regions", .data, "visit a region, of 64", bar: .notSlower, floor: .body(calls: 1), batch: .elastic(minimum: 640))
    {
      let data = regions(64)
      return .timed { count in
        for _ in 0..<count / 64 { data.enumerateBytes { bytes, _, _ in keep(UInt64(bytes.count)) } }
      }
    },
  ]
}

private let regionBytes = 1_024

/// Data of this many regions.
private func regions(_ count: Int) -> DispatchData {
  var data = DispatchData.empty
  for number in 0..<count {
    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: regionBytes)
    bytes.withUnsafeBytes { data.append($0) }
  }
  return data
}

private func append(_ piece: DispatchData, count: Int, upTo most: Int) {
  var data = DispatchData.empty, left = most
  for _ in 0..<count {
    data.append(piece)
    left -= 1
    if left == 0 {
      keep(UInt64(data.count))
      (data, left) = (.empty, most)
    }
  }
}
