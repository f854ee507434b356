// ServiceClassTests.swift: the order of the classes of service, their numbers, and how one goes over them.
import SignalboxWords
import Testing

@Suite("Classes of service stand in the order of their urgency") struct ServiceClassTests {
  @Test("The numbers are those that stand in words: 0 for the most urgent, up to 4")
  func numbers() {
    #expect(ServiceClass.count == 5 && ServiceClass.all.map(\.rawValue) == [0, 1, 2, 3, 4])
    for one in ServiceClass.all { #expect(ServiceClass(known: one.rawValue) == one) }
    #expect(ServiceClass(rawValue: ServiceClass.count) == nil && ServiceClass(rawValue: -1) == nil)
  }

  @Test("The smaller of two is the more urgent, and any is more urgent than none")
  func urgency() {
    for one in ServiceClass.all {
      #expect(one.isMoreUrgent(than: nil) && one.raised(to: nil) == one)
      for other in ServiceClass.all {
        let isMoreUrgent = one.rawValue < other.rawValue
        #expect((one < other) == isMoreUrgent && one.isMoreUrgent(than: other) == isMoreUrgent)
        #expect(one.raised(to: other) == (isMoreUrgent ? one : other))
      }
    }
  }

  @Test("Classes in a row are gone over from the most urgent on, and may be none")
  func rows() {
    for first in ServiceClass.all {
      for last in ServiceClass.all where last >= first {
        let row = ServiceClasses(first, through: last)
        #expect(Array(row) == (first.rawValue...last.rawValue).map { ServiceClass(known: $0) })
        #expect(row.mostUrgent == first && row.leastUrgent == last)
        #expect(Array(row.lessUrgent) == Array(ServiceClass.all.drop { $0 <= last }))
        #expect(Array(ServiceClasses(first, before: last)) == Array(row.dropLast()))
        for one in ServiceClass.all { #expect(row.contains(one) == (first <= one && one <= last)) }
      }
    }
  }
}
