// EnvironmentList.swift: the environment of a program to be started, as a value. How it is printed for others: EnvironmentText.
import SignalboxSystem

/// Entries `NAME=value`, kept byte for byte and in order.
public struct EnvironmentList: Sendable, Equatable {
  /// The entries.
  public private(set) var entries: [RawString]

  /// A list of these entries.
  public init(_ entries: [RawString]) { self.entries = entries }

  /// The value of the first entry of that name, as `getenv` has it.
  public subscript(name: String) -> RawString? {
    let start = Array((name + "=").utf8)
    guard let entry = entries.first(where: { $0.bytes.starts(with: start) }) else { return nil }
    return RawString(entry.bytes.dropFirst(start.count))
  }

  /// Gives `name` one value, where its first entry stood; nil takes all its entries out.
  public mutating func set(_ name: String, _ value: RawString?) {
    let start = Array((name + "=").utf8)
    let place = entries.firstIndex { $0.bytes.starts(with: start) } ?? entries.endIndex
    entries.removeAll { $0.bytes.starts(with: start) }
    if let value { entries.insert(RawString(start) + value, at: place) }
  }

  /// The list for the program: `folder` in front of whatever the loader searches already.
  public func switched(to folder: String) -> EnvironmentList {
    var list = self
    list.set(Self.libraryPath, Self.path(folder, before: self[Self.libraryPath]))
    return list
  }

  /// The variable by which a program's reports find this command, to get names of functions and lines.
  public static let tool = "SIGNALBOX_TOOL"

  /// This command's own file; nil where that is not known, or not text.
  public static var ownCommand: RawString? { (try? Files.realPath("/proc/self/exe")).flatMap { $0.text == nil ? nil : $0 } }

  /// The variable that the loader reads.
  public static let libraryPath = "LD_LIBRARY_PATH"

  /// `folder` in front of `rest`, once. An empty or absent rest adds no colon: to the loader an empty part of a longer list
  /// is the current folder.
  static func path(_ folder: String, before rest: RawString?) -> RawString {
    let own = Array(folder.utf8)
    guard var rest = rest?.bytes, !rest.isEmpty, rest != own else { return RawString(folder) }
    let front = own + [colon]
    while rest.starts(with: front) { rest.removeFirst(front.count) }
    return rest.isEmpty ? RawString(front) : rest == own ? RawString(own) : RawString(front + rest)
  }

  /// The list for a question to the loader: nothing that makes it print or do something else.
  var forListing: EnvironmentList {
    var list = self
    for name in [
      "LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_TRACE_LOADED_OBJECTS", "LD_VERBOSE", "LD_WARN", "LD_BIND_NOW", "LD_PROFILE",
    ] {
      list.set(name, nil)
    }
    return list
  }
}

let colon = UInt8(ascii: ":")
let slash = UInt8(ascii: "/")
