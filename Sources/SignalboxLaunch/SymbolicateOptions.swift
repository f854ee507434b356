// SymbolicateOptions.swift: the command line of `signalbox symbolicate`: what may be written and what is refused.

/// The command line of `signalbox symbolicate`.
public struct SymbolicateOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print the help text.
    case help
    /// Answer the lines of standard input.
    case answer(Form)
  }

  /// How answers are written.
  public enum Form: Sendable, Equatable {
    /// A line of words.
    case text
    /// A JSON object in a line.
    case json
    /// Names as the compiler wrote them, and all functions that are under way at the place.
    case frames
  }

  /// What is to be done.
  public var action: Action

  /// Reads the arguments behind the word `symbolicate`.
  public init(_ arguments: [String]) throws(Refusal) {
    action = .answer(.text)
    for argument in arguments {
      switch argument {
      case "--help", "-h":
        action = .help
        return
      case "--json": action = .answer(.json)
      case "--frames": action = .answer(.frames)
      default:
        guard argument.hasPrefix("-"), argument.count > 1 else {
          throw Refusal(.usage, "unexpected argument \"\(argument)\": places are read from standard input")
        }
        throw Refusal(.usage, "unknown option \(argument)")
      }
    }
  }

  /// The help text.
  public static let help = """
    usage: signalbox symbolicate [--json | --frames]

    Prints the functions and lines of addresses in programs and libraries: for Signalbox's own reports, and for reports written
    without names. Reads standard input to its end; each line is a file and the offset from the start of its image in memory:

      IMAGE OFFSET          /usr/bin/server 0x1f2a0

    and writes one line for each, in order: FUNCTION at FILE:LINE, or FUNCTION where the file has no debug information, or
    ? where nothing is known. Files and lines come from llvm-symbolizer, of the Swift toolchain or on PATH;
    without it, and in stripped files, names come from the symbol table. For a return address, ask for the byte before it.

      --json      one JSON object per line: image, offset, function, file, line; null for what is not known
      --frames    also the functions that the compiler inlined at the address: innermost first, with a tab between
                  two, and with mangled names
      --help, -h  this text

    A program finds this command by SIGNALBOX_SYMBOLICATOR, else by SIGNALBOX_TOOL (set by signalbox run and env),
    else by the name signalbox beside its own file or on PATH, if only root and its user can write to that file or to a
    folder above it. A program that runs with more rights than its caller does not use it.

    Exit status: 0; 3 some lines were invalid (their answer is ?; all other lines are answered); 64 wrong usage; 65 no line was
    valid.

    """
}
