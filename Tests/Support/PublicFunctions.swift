// PublicFunctions.swift: the functions that a source file offers to everybody, for tests that must have each of them.

/// The names of the public and open functions in the text of the file `file`: `DispatchGroup.swift enter`. Operators have none.
public func publicFunctions(in text: String, file: String) -> Set<String> {
  var found: Set<String> = []
  for line in text.split(separator: "\n") {
    guard let mark = line.firstRange(of: "func ") else { continue }
    let before = line[..<mark.lowerBound].split(separator: " "), name = line[mark.upperBound...].prefix { $0.isLetter }
    if before.contains("public") || before.contains("open"), !name.isEmpty { found.insert("\(file) \(name)") }
  }
  return found
}
