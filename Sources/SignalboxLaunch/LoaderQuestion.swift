// LoaderQuestion.swift: asks a program's own loader what it would load, under the very environment the program will have.
// Nothing of the program runs. The answer is read by LoaderListing.swift.
import SignalboxSystem

struct LoaderQuestion {
  /// Which loader: the program's `PT_INTERP`.
  let interpreter: RawString
  let environment: EnvironmentList

  func answer(for file: RawString) -> LoaderAnswer {
    let printed = try? Programs.output(
      of: interpreter, arguments: [interpreter, "--list", file], environment: environment.forListing.entries)
    return printed.map { LoaderAnswer($0.bytes) } ?? .none
  }
}
