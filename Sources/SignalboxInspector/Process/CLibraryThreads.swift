// CLibraryThreads.swift: the C library's records of a process's threads, and in these the memory that a library keeps
// for each thread. By the words that the C library and its loader keep for debuggers (`_thread_db_…`, `_r_debug`): they
// say where in a record each thing lies, so that no layout of the C library's or the loader's is written down here.
import SignalboxSystem
import SignalboxView

/// The records of a process's threads.
struct CLibraryThreads {
  /// Where the record of each thread lies, by the thread's number.
  let records: [Int32: UInt64]
  private let memory: any ProcessMemory
  private let words: Words
  /// The first of the loader's records of images; 0: not known.
  private let firstImage: UInt64

  /// nil: the C library is another one, or does not tell.
  ///
  /// - Parameter ids: the numbers of its threads. Others are not believed.
  init?(_ process: any ReadProcess, ids: Set<Int32>) {
    guard let library = process.image(named: "libc.so"), let loader = process.image(named: "ld-linux"),
      let words = Words(library, process)
    else { return nil }
    let places = ImageFunctions.places(ofSymbols: [Self.global, Self.debug], in: process.file(loader.path))
    guard let global = places[Self.global] else { return nil }
    (memory, self.words) = (process.memory, words)
    firstImage =
      places[Self.debug].flatMap { process.memory.word64(loader.base + ReadNumber($0 + Self.firstOfDebug))?.bits } ?? 0
    let heads = [words.usedStacks, words.userStacks].map { (loader.base + ReadNumber(global + $0)).bits }
    records = Self.records(from: heads, ids, words, process.memory)
  }

  private static let global = "_rtld_global", debug = "_r_debug", firstOfDebug: UInt64 = 8

  /// The loader's record of an image, as `<link.h>` has it.
  private enum ImageRecord { static let dynamic: UInt64 = 16, next: UInt64 = 24 }
  private static let mostImages = 4096, mostSteps = 100_000

  /// Threads come and go while their lists are followed: what was missed is searched for again.
  private static func records(
    from heads: [UInt64], _ ids: Set<Int32>, _ words: Words, _ memory: any ProcessMemory
  ) -> [Int32: UInt64] {
    var found: [Int32: UInt64] = [:]
    for _ in 0..<3 where found.count < ids.count {
      for head in heads {
        var here = memory.word64(ReadNumber(head))?.bits, steps = 0
        while let entry = here, entry != head, steps < mostSteps {
          let record = entry &- words.list
          guard let number = memory.word32(ReadNumber(record &+ words.number))?.lowest(Int32.self) else { break }
          if ids.contains(number) { found[number] = record }
          here = memory.word64(ReadNumber(entry))?.bits
          steps += 1
        }
      }
    }
    return found
  }

  /// The thread whose end a thread awaits that sleeps on `word`: joining sleeps on the number in a record.
  func thread(endingAt word: UInt64) -> Int32? { records.first { $0.value &+ words.number == word }?.key }

  /// Which of the parts of each thread's memory is the image's; nil: none, or the loader does not tell.
  func part(of image: ReadImages.Image) -> UInt64? {
    var here = firstImage
    for _ in 0..<Self.mostImages where here != 0 {
      guard let dynamic = memory.word64(ReadNumber(here &+ ImageRecord.dynamic)),
        let next = memory.word64(ReadNumber(here &+ ImageRecord.next))
      else { return nil }
      if image.ranges.contains(where: { $0.contains(dynamic) }) {
        return memory.word64(ReadNumber(here &+ words.imagePart))?.bits
      }
      here = next.bits
    }
    return nil
  }

  /// Where a part of the thread's memory lies; nil: the thread has none, or is not known.
  func place(ofPart part: UInt64, of thread: Int32) -> UInt64? {
    guard part != 0, part < UInt64(Self.mostImages), let record = records[thread],
      let list = memory.word64(ReadNumber(record &+ words.parts))?.bits,
      let place = memory.word64(ReadNumber(list &+ part &* words.partSize &+ words.partPlace))?.bits
    else { return nil }
    // What was not made yet has all bits.
    return place == 0 || place == .max ? nil : place
  }

  /// Where things lie, as the C library tells debuggers.
  private struct Words {
    /// In a record: the list of all, the number, the parts of the thread's memory.
    let list: UInt64, number: UInt64, parts: UInt64
    /// Of those parts.
    let partSize: UInt64, partPlace: UInt64
    /// In the loader's record of an image.
    let imagePart: UInt64
    /// In the loader's own words: the lists of threads, whose stacks it made and others made.
    let usedStacks: UInt64, userStacks: UInt64

    init?(_ library: ReadImages.Image, _ process: any ReadProcess) {
      let names = [
        "pthread_list", "pthread_tid", "pthread_dtvp", "dtv_dtv", "dtv_t_pointer_val", "link_map_l_tls_modid",
        "rtld_global__dl_stack_used", "rtld_global__dl_stack_user",
      ].map { "_thread_db_" + $0 }
      let places = ImageFunctions.places(ofSymbols: Set(names), in: process.file(library.path))
      // Each is a size in bits, a count, an offset.
      let facts = names.map { name -> (bits: UInt64, offset: UInt64)? in
        guard let place = places[name], let bytes = process.memory.bytes(library.base + ReadNumber(place), 12) else {
          return nil
        }
        return (bytes.word32(at: 0).bits, bytes.word32(at: 8).bits)
      }
      guard let list = facts[0], let number = facts[1], number.bits == 32, let parts = facts[2], let part = facts[3],
        let partPlace = facts[4], let imagePart = facts[5], let used = facts[6], let user = facts[7]
      else { return nil }
      (self.list, self.number, self.parts, partSize) = (list.offset, number.offset, parts.offset, part.bits / 8)
      (self.partPlace, self.imagePart) = (partPlace.offset, imagePart.offset)
      (usedStacks, userStacks) = (used.offset, user.offset)
    }
  }
}

extension ReadProcess {
  /// The image whose file's name begins so.
  func image(named name: String) -> ReadImages.Image? {
    images.all.first { $0.path.split(separator: "/").last?.hasPrefix(name) == true }
  }
}
