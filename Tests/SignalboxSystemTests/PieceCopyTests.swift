// PieceCopyTests.swift: a file whose pieces are given to something else while it is copied: no piece of the copy has parts of two.
import Glibc
import Synchronization
import Testing

@testable import SignalboxSystem

@Suite("Copies of files that are written meanwhile") struct PieceCopyTests {
  private let folder: String
  private var file: String { folder + "/file" }
  private let layout = PieceCopy(head: 16, piece: 65_536, words: 8)

  init() throws { folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description }

  private func copied() throws -> [UInt8] {
    var all: [UInt8] = []
    layout.write(try FileBytes(RawString(file))) {
      all += $0; return true
    }
    return all
  }

  private func withFile(_ body: (Int32) throws -> Void) throws {
    let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    defer {
      close(descriptor)
      try? Files.removeFile(RawString(file))
      try? Files.removeFolder(RawString(folder))
    }
    try body(descriptor)
  }

  @Test(
    "A file that nobody writes to is copied as it is, with a last piece that is shorter",
    arguments: [0, 10, 16, 17, 65_552, 65_553, 200_000])
  func still(size: Int) throws {
    try withFile { descriptor in
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(write(descriptor, bytes, size) == size)
      let found = try copied()
      #expect(found == bytes)
    }
  }

  @Test("Whoever reads no more is given no more")
  func stops() throws {
    try withFile { descriptor in
      #expect(ftruncate(descriptor, 400_000) == 0)
      var parts = 0
      layout.write(try FileBytes(RawString(file))) { _ in
        parts += 1
        return parts < 3
      }
      #expect(parts == 3)
    }
  }

  @Test("Pieces that are given away and filled anew without a pause are whole in the copy, or nothing")
  func torn() throws {
    try withFile { descriptor in
      #expect(ftruncate(descriptor, 16 + 4 * 65_536) == 0)
      let isOver = Atomic<Bool>(false), rounds = Atomic<Int>(0)
      try withThread(
        {
          var round: UInt64 = 0
          while !isOver.load(ordering: .acquiring) {
            round += 1
            let place = off_t(16 + Int(round % 4) * 65_536)
            var nothing: UInt64 = 0
            pwrite(descriptor, &nothing, 8, place)
            let body = [UInt64](repeating: round, count: 8_191)
            pwrite(descriptor, body, body.count * 8, place + 8)
            var head = round
            pwrite(descriptor, &head, 8, place)
            rounds.store(Int(round), ordering: .releasing)
          }
        },
        {
          defer { isOver.store(true, ordering: .releasing) }
          let deadline = Clock.uptime() + 60_000_000_000
          var copies = 0
          while copies < 50 || rounds.load(ordering: .acquiring) < 200, Clock.uptime() < deadline {
            copies += 1
            let bytes = try copied()
            try #require(bytes.count == 16 + 4 * 65_536)
            for piece in 0..<4 {
              let words = bytes.withUnsafeBytes { raw in
                (0..<8_192).map { raw.loadUnaligned(fromByteOffset: 16 + piece * 65_536 + $0 * 8, as: UInt64.self) }
              }
              // One that is being emptied has no head, and so no meaning.
              if words[0] != 0 { #expect(Set(words).count == 1, "\(Set(words))") }
            }
          }
          #expect(rounds.load(ordering: .acquiring) >= 200)
        })
    }
  }

  /// Runs `beside` on a thread of its own until `body` has ended.
  private func withThread(_ beside: @escaping () -> Void, _ body: () throws -> Void) throws {
    final class Box { let body: () -> Void; init(_ body: @escaping () -> Void) { self.body = body } }
    var id = pthread_t()
    let box = Unmanaged.passRetained(Box(beside)).toOpaque()
    let made = pthread_create(
      &id, nil,
      { raw in
        if let raw { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
        return nil
      }, box)
    try #require(made == 0)
    defer { pthread_join(id, nil) }
    try body()
  }
}
