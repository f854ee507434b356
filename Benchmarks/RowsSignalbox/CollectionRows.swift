// CollectionRows.swift: an array that threads share: SynchronizedArray on Signalbox, the article's TSArray on the toolchain's
// Dispatch (`SharedArray` in the two Subject.swift).
import BenchSupport

func collectionRows() -> [Row] {
  [
    Row(
      "s1-array-append", .collections, "append to a shared array", bar: .ratio(5), floor: .swapPair, batch: .fixed(20_000)
    ) {
      .timed { count in
        let array = SharedArray()
        for number in 0..<count { array.append(number) }
        keep(UInt64(array.count))  // the article's appends happen later; the count comes after them
      }
    },
    Row("s1-array-read", .collections, "read an element of a shared array", bar: .ratio(5), floor: .swapPair) {
      let array = filledArray()
      return .timed { count in for number in 0..<count where array[number % elements] != nil { opaqueBody(number) } }
    },
    Row(
      "s1-array-mixed", .collections, "15 reads and a write by 2 threads on one shared array, per operation", bar: .ratio(5),
      floor: .contendedSwapPairs(threads: 2)
    ) {
      let array = filledArray()
      let crew = Crew(threads: 2) { _, share in
        for number in 0..<share {
          if number % 16 == 0 {
            array[number % elements] = number
          } else if array[number % elements] != nil {
            opaqueBody(number)
          }
        }
      }
      return .selfTimed { count in
        let working = crew.run(count)
        let start = monotonicNanoseconds()
        keep(UInt64(array.count))  // after the last write
        return working + monotonicNanoseconds() - start
      }
    },
  ]
}

private let elements = 64

private func filledArray() -> SharedArray {
  let array = SharedArray()
  for number in 0..<elements { array.append(number) }
  return array
}
