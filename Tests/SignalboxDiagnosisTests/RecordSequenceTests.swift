// RecordSequenceTests.swift: the number by which a reader of a wait record knows whether it has read one state.
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("The sequence of a wait record") struct RecordSequenceTests {
  @Test("A record is stable before and after it is written, each time by another number")
  func written() {
    PlainThread("writes its record") {
      let record = Record(slot: ThreadSlot.owner() & 0xFFFF)
      let before = record.stableSequence
      let sequence = record.begin()
      #expect(record.stableSequence == nil)
      record.end(sequence)
      #expect(record.stableSequence != nil && record.stableSequence != before)
    }.join()
  }

  @Test("Whoever writes where another has ended in the midst of writing is not read before it is done")
  func leftInTheMidst() {
    PlainThread("writes its record") {
      let record = Record(slot: ThreadSlot.owner() & 0xFFFF)
      let first = record.begin(), second = record.begin()
      #expect(first != second && record.stableSequence == nil)
      record.end(second)
      #expect(record.stableSequence == second &+ 1)
    }.join()
  }
}
