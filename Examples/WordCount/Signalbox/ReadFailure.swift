// ReadFailure.swift: why one file or folder could not be counted. The count goes on without it; the exit status tells.
import Glibc

struct ReadFailure: Error, Sendable, CustomStringConvertible {
  enum Action: String {
    case openFile = "open the file"
    case openFolder = "open the folder"
    case readFile = "read the file"
    case readFolder = "read the folder"
    case look = "examine"
  }

  let action: Action
  let path: Path
  let code: CInt

  var description: String {
    "cannot \(action.rawValue) '\(path)': \(String(cString: strerror(code)))"
  }
}
