// MigrateOptions.swift: the command line of `signalbox migrate`.
import SignalboxCommandLine

/// The command line of `signalbox migrate`.
public struct MigrateOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print the help text.
    case help
    /// Print the file of aliases.
    case aliases
    /// Say what a move would do.
    case plan
    /// Do it.
    case write
    /// Take it back.
    case undo
  }

  /// What is to be done.
  public var action = Action.plan
  /// The package's folder.
  public var path = ""
  /// Signalbox's folder or address, as the manifest is to name it; nil for the checkout that the command was built in.
  public var dependency: String?
  /// Which of the versions at an address; nil: from this command's version on.
  var requirement: SignalboxDependency.Requirement?
  /// Whether the plan is written as JSON.
  public var isJSON = false

  /// Reads the arguments behind the word `migrate`.
  public init(_ arguments: [String]) throws(MigrateRefusal) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h":
        action = .help
        return
      case "--aliases": try take(.aliases)
      case "--write": try take(.write)
      case "--undo": try take(.undo)
      case "--json": isJSON = true
      case "--dependency":
        guard let place = rest.popFirst(), !place.isEmpty else {
          throw Self.usage("--dependency takes Signalbox's folder or address")
        }
        dependency = place
      case "--from", "--branch", "--revision":
        guard requirement == nil else { throw Self.usage("--from, --branch and --revision exclude one another") }
        guard let version = rest.popFirst(), !version.isEmpty else { throw Self.usage("\(argument) takes a version") }
        requirement =
          switch argument {
          case "--from": .from(version)
          case "--branch": .branch(version)
          default: .revision(version)
          }
      default:
        guard !argument.hasPrefix("-") else { throw Self.usage("unknown option \(argument)") }
        guard path.isEmpty else { throw Self.usage("unexpected argument \"\(argument)\": one package at a time") }
        path = argument
      }
    }
    switch action {
    case .aliases where !path.isEmpty: throw Self.usage("--aliases takes no package")
    case .plan, .write, .undo:
      guard !path.isEmpty else { throw Self.usage("which package? Name its folder") }
    default: break
    }
    if requirement != nil, dependency.map(SignalboxDependency.isAddress) != true {
      throw Self.usage("--from, --branch and --revision are of an address: --dependency https://…")
    }
  }

  private mutating func take(_ wanted: Action) throws(MigrateRefusal) {
    guard action == .plan || action == wanted else { throw Self.usage("--aliases, --write and --undo exclude one another") }
    action = wanted
  }

  private static func usage(_ message: String) -> MigrateRefusal { MigrateRefusal(.usage, message) }

  /// The help text.
  public static let help = """
    usage: signalbox migrate [--write] [--dependency FOLDER | --dependency URL [--from VERSION]] [--json] PATH
           signalbox migrate --undo PATH
           signalbox migrate --aliases

    Moves the Swift package in PATH to Signalbox: imports of Foundation and Dispatch, names with their module in front, the
    dependency in the manifest; a file of aliases for modules that import XCTest; an import for files that had the names by way of
    another module. Says what it would do, and lists what a person must decide, with file and line.

      --write              does it, and leaves PATH/signalbox-migrate.patch
      --undo               takes it back by that patch; refused if one of the files was changed since
      --dependency FOLDER  Signalbox's folder, as the manifest is to name it: absolute, or as seen from PATH; else the checkout
                           that this command was built in
      --dependency URL     the address of Signalbox's repository: https://…, ssh://…, file://…, or user@host:path
      --from VERSION       with an address: this version or a later one that promises the same; else from \(Version.number) on.
                           In its place: --branch NAME, --revision ID
      --json               the plan as JSON
      --aliases            prints the file of aliases
      --help, -h           this text

    Files are parsed by the machine's Swift toolchain (6.3 or later, `swift` on PATH), with its own SwiftSyntax. Generated files,
    symbolic links, files outside of PATH, plugins and macros are not written; branches of #if that Linux never compiles stay as they are.

    Exit status: 0; 64 wrong usage; 65 no package, or one that the toolchain cannot read; 69 no toolchain; 73 a file cannot be
    written; 77 files were changed since.

    """
}
