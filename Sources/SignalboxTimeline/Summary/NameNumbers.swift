// NameNumbers.swift: a number for each name that addresses have had, so that an event costs no text: an address may be another
// thing's later, and two things may have one name.
import SignalboxSystem

struct NameNumbers {
  private struct Key: Hashable {
    let address: ReadNumber
    let generation: Int
  }

  private var numbers: [Key: Int] = [:]
  private var byName: [String: Int] = [:]
  private(set) var names: [String] = []

  /// The number of what `address` is called at `time`, from 0 on; `name` is called once for each.
  mutating func number(_ address: ReadNumber, at time: ReadNumber, in recording: RecordingFile, _ name: () -> String) -> Int {
    let key = Key(address: address, generation: recording.generation(address, at: time))
    if let known = numbers[key] { return known }
    let text = name()
    let number = byName[text] ?? names.count
    if number == names.count {
      byName[text] = number
      names.append(text)
    }
    numbers[key] = number
    return number
  }
}
