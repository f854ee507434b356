// Repetition.swift: what a list goes on repeating at its end.

enum Repetition {
  /// How often a part must come in a row to be taken for one that repeats.
  private static let least = 3

  /// Where in the list the shortest part lies that it ends with several times; where there is none, the last of each element.
  static func part<Element: Equatable>(of list: [Element]) -> [Int] {
    let count = list.count
    for length in 1...max(1, count / least) where count >= length * least {
      let first = count - length
      if (1..<least).allSatisfy({ round in
        (0..<length).allSatisfy { list[first + $0] == list[first - round * length + $0] }
      }) {
        return Array(first..<count)
      }
    }
    return list.indices.filter { index in !list[(index + 1)...].contains(list[index]) }
  }
}
