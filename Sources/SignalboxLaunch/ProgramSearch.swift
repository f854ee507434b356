// ProgramSearch.swift: which file a program's name means, as a shell decides. Pure: the files' state is asked of a closure.
import SignalboxSystem

/// The search for a program.
public struct ProgramSearch {
  /// What a path is, to a user that wants to run it.
  public enum Candidate: Sendable, Equatable {
    /// Nothing is there.
    case absent
    /// A folder.
    case folder
    /// A file that this user may not execute.
    case notExecutable
    /// A file that this user may execute.
    case executable
    /// The system refuses to tell.
    case unreachable(String)
  }

  /// Where shells search when PATH is not set.
  static let defaultPath: RawString = "/usr/local/bin:/usr/bin:/bin"

  /// The value of PATH, if there is one.
  public let path: RawString?
  private let examine: (RawString) -> Candidate

  /// A search on `path`; `examine` says what is at a place.
  public init(path: RawString?, examine: @escaping (RawString) -> Candidate = ProgramSearch.ask) {
    self.path = path
    self.examine = examine
  }

  /// The file that `name` means; always with a slash, so that the loader does not search for it.
  public func find(_ name: RawString) throws(Refusal) -> RawString {
    guard !name.bytes.isEmpty else { throw Refusal(.programNotFound, "the program's name is empty: name a program") }
    return name.bytes.contains(slash) ? try atItsPlace(name) : try onPath(name)
  }

  private func atItsPlace(_ name: RawString) throws(Refusal) -> RawString {
    switch examine(name) {
    case .executable: return name
    case .absent: throw Refusal(.programNotFound, "there is no program \(name): see whether the path is right")
    case .folder: throw Refusal(.programNotRunnable, "\(name) is a folder: name a program in it")
    case .notExecutable: throw Self.notExecutable(name)
    case .unreachable(let why): throw Refusal(.programNotRunnable, "\(name) cannot be reached: \(why)")
    }
  }

  private func onPath(_ name: RawString) throws(Refusal) -> RawString {
    var refused: RawString?
    for folder in places {
      let candidate = folder + "/" + name
      switch examine(candidate) {
      case .executable: return candidate
      case .notExecutable: refused = refused ?? candidate
      case .absent, .folder, .unreachable: continue
      }
    }
    if let refused { throw Self.notExecutable(refused) }
    throw Refusal(
      .programNotFound, "there is no program \(name) in the folders of PATH: write its path, or add its folder to PATH")
  }

  /// An empty part means the current folder.
  private var places: [RawString] {
    (path ?? Self.defaultPath).bytes.split(separator: colon, omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "." : RawString($0) }
  }

  private static func notExecutable(_ file: RawString) -> Refusal {
    Refusal(.programNotRunnable, "\(file) may not be executed by you: chmod +x it, or see how its file system is mounted")
  }

  /// Asks the system.
  public static func ask(_ path: RawString) -> Candidate {
    do throws(SystemError) {
      switch try FileStatus(of: path).kind {
      case .folder: return .folder
      case .regular: return Files.mayExecute(path) ? .executable : .notExecutable
      case .symbolicLink, .other: return .notExecutable
      }
    } catch {
      return error.isAbsent ? .absent : .unreachable(error.words)
    }
  }
}
