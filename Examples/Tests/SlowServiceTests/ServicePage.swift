// ServicePage.swift: what a page of `signalbox view` carries, as its scripts read it: names, and what each thread did when.
import SignalboxCommandLine
import Testing

import struct Foundation.Data

/// A timeline's data.
struct ServicePage {
  /// Kinds by their numbers in the page.
  enum Kind: UInt64 { case item, turn, wait, parked, interval, operation, activity, transfer }

  /// What a thread did: times in nanoseconds since the recording's first event.
  struct Slice {
    let kind: Kind
    let begin, end: UInt64
    let thread: Int
    /// The function of an item, the thing of a wait; and an item's queue, or the thread that had the thing.
    var what = "", queue = "", holder: Int?
    func contains(_ time: UInt64) -> Bool { begin <= time && time < end }
  }

  let header: JSON
  let slices: [Slice]

  init(_ text: String) throws {
    let header = try #require(JSON(try Self.script("type=\"application/json\" id=\"header\"", in: text)))
    self.header = header
    func column(_ name: String) throws -> [UInt64] {
      try Self.numbers(Self.script("type=\"text/plain\" id=\"column-\(name)\"", in: text))
    }
    let begins = try column("begin"), lengths = try column("length"), heads = try column("head")
    let threads = try column("thread")
    var whats = try column("what")[...], whoses = try column("whose")[...], begin: UInt64 = 0
    try #require(begins.count == heads.count && lengths.count == heads.count && threads.count == heads.count)
    slices = try heads.indices.map { place in
      begin += begins[place]
      let kind = try #require(Kind(rawValue: heads[place] & 7))
      var slice = Slice(kind: kind, begin: begin, end: begin + lengths[place], thread: Int(threads[place]))
      let what = kind == .turn || kind == .parked ? nil : whats.popFirst()
      let whose = kind == .interval || kind == .parked ? nil : whoses.popFirst()
      if kind == .item, let what, let whose {
        slice.what = header["functions"].values[Int(what)]["name"].string ?? ""
        slice.queue = header["queues"].values[Int(whose)]["name"].string ?? ""
      } else if kind == .wait, let what, let whose {
        slice.what = header["objects"].values[Int(what)].string ?? ""
        // 0: nobody; 1: a thread that wrote nothing.
        slice.holder = whose > 1 ? Int(whose) - 2 : nil
      }
      return slice
    }
    #expect(whats.isEmpty && whoses.isEmpty)
  }

  private static func script(_ attributes: String, in text: String) throws -> Substring {
    let begin = try #require(text.firstRange(of: "<script \(attributes)>"), "there is no \(attributes)").upperBound
    let end = try #require(text[begin...].firstRange(of: "</script>")).lowerBound
    return text[begin..<end]
  }

  /// Seven bits in a byte, the lowest first; all bytes but a number's last have the highest bit.
  private static func numbers(_ letters: Substring) throws -> [UInt64] {
    var numbers: [UInt64] = [], value: UInt64 = 0, shift: UInt64 = 0
    for byte in try #require(Data(base64Encoded: String(letters))) {
      value |= UInt64(byte & 0x7F) << shift
      shift += 7
      guard byte & 0x80 == 0 else { continue }
      numbers.append(value)
      (value, shift) = (0, 0)
    }
    return numbers
  }
}
