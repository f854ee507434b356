// ProcessDescriptionTests.swift: the table by which others read this process: that it says where the tables of threads and waits lie, and how, and
// that its note leads to it.
import CSignalbox
import SignalboxWords
import Testing

@testable import SignalboxSystem

@Suite("What a process says of itself") struct ProcessDescriptionTests {
  init() { _ = ThreadSlot.owner() }

  private func word(_ word: DescribedWord) -> UInt64 { sb_described(Int32(word.rawValue)) }

  @Test("Where the tables lie, and how long their entries are")
  func tables() {
    #expect(word(.mark) == ProcessDescription.mark && word(.version) == ProcessDescription.version)
    #expect(word(.slots) == UInt64(UInt(bitPattern: sb_slot_at(0))) && word(.slotCount) == UInt64(SB_SLOT_COUNT))
    #expect(UInt(bitPattern: sb_slot_at(3)) == UInt(word(.slots) + 3 * word(.slotSize)))
    #expect(UInt(bitPattern: sb_wait_at(3)) == UInt(word(.waits) + 3 * word(.waitSize)))
    #expect(SafeMemory.word64(UInt(word(.highestSlot))).map { $0 > 0 && $0 < word(.slotCount) } == true)
    #expect(word(.forkedChild) == UInt64(UInt(bitPattern: sb_forked_child_address())))
    let thread = ThreadSlot.current
    #expect(ThreadTable.entry(owner: ThreadSlot.owner())?.record == UInt(bitPattern: thread))
    #expect(MemoryLayout<ThreadRecord>.offset(of: \.frames) == Int(word(.frames)))
    #expect(MemoryLayout<ThreadRecord>.offset(of: \.shared_count) == Int(word(.shared)))
  }

  @Test("What version 1 stands for: the words of a slot, and the first nine of a record, in their order; then its lists")
  func records() {
    #expect(MemoryLayout<sb_slot>.offset(of: \.who) == 0 && MemoryLayout<sb_slot>.offset(of: \.record) == 8)
    let fields: [PartialKeyPath<sb_wait>] = [
      \.sequence, \.owner, \.tid, \.what, \.object, \.since, \.park, \.park_value, \.counts,
    ]
    #expect(fields.map { MemoryLayout<sb_wait>.offset(of: $0) } == (0..<9).map { $0 * 8 })
    let lists: [(place: PartialKeyPath<sb_wait>, word: DescribedWord, count: DescribedWord, size: Int32)] = [
      (\.words, .waitWords, .waitWordCount, Int32(SB_WAIT_WORDS)),
      (\.frames, .waitFrames, .waitFrameCount, Int32(SB_WAIT_FRAMES)),
      (\.shared, .waitShared, .waitSharedCount, Int32(SB_WAIT_SHARED)),
      (\.stack, .waitStack, .waitStackCount, Int32(SB_WAIT_STACK)),
    ]
    for list in lists {
      #expect(MemoryLayout<sb_wait>.offset(of: list.place) == Int(word(list.word)) * 8)
      #expect(word(list.count) == UInt64(list.size))
    }
  }

  @Test("The table is long enough, and a word that was not stated is 0")
  func size() {
    #expect(DescribedWord.allCases.count <= ProcessDescription.count && DescribedWord.mark.rawValue == 0)
    for place in DescribedWord.allCases.count..<ProcessDescription.count { #expect(sb_described(Int32(place)) == 0) }
  }

  @Test("The note is loaded with the program, and says how far behind its contents the table lies")
  func note() throws {
    let own = try #require(OtherImages.parts(process: OwnProcess.id).first { $0.offset == 0 })
    // Notes stand behind the program's headers.
    let start = UInt(own.range.lowerBound.bits), end = UInt(own.range.upperBound.bits)
    let words = stride(from: start, to: min(end, start + 65_536), by: 8).map {
      SafeMemory.word64($0) ?? 0
    }
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
    let note = ProcessDescription.note
    let places = stride(from: 0, to: bytes.count - note.count - 8, by: 4).filter {
      bytes[$0..<$0 + note.count].elementsEqual(note)
    }
    let leads = places.map { place -> UInt in
      let contents = place + note.count
      let distance = (0..<8).reduce(UInt(0)) { $0 | UInt(bytes[contents + $1]) << UInt($1 * 8) }
      return start &+ UInt(contents) &+ distance
    }
    let said = (0..<ProcessDescription.count).map { sb_described(Int32($0)) }
    #expect(
      leads.contains { lead in said.indices.allSatisfy { SafeMemory.word64(lead &+ UInt($0) * 8) == said[$0] } }, "\(leads)")
  }

  @Test("Texts of strings, as they lie in memory")
  func strings() {
    #expect(StringForm.isKnown)
    let empty = StringForm.words("")
    #expect(StringForm.text(ReadNumber(empty.first), ReadNumber(empty.second)) { _, _ in nil } == "")
    // Forms that are not known, lengths without end and memory that is not there.
    #expect(StringForm.text(0, 0) { _, _ in [] } == nil)
    #expect(StringForm.text(5, 0x4000_0000_0001_0000) { _, count in Array(repeating: 65, count: count) } == nil)
    #expect(StringForm.text(5, 0x8000_0000_0001_0000) { _, _ in nil } == nil)
    let long = StringForm.text(1 << 40, 0x8000_0000_0001_0000) { _, count in Array(repeating: 65, count: count) }
    #expect(long?.utf8.count == StringForm.longest)
  }
}
