// Checkout.swift: the checkout that the running command was built in, if the command still lies where the build put it. An installed
// command has neighbours only: Neighbour.swift.
import SignalboxSystem

/// The checkout of the running command.
public enum Checkout {
  /// Becomes the checkout's `Scripts/name`, with the folder of the build before the arguments of this process. Returns nil if the
  /// command lies in no checkout, or why the script cannot be run.
  public static func become(script name: String) -> Refusal? {
    guard let own = try? Files.realPath("/proc/self/exe"), let (root, folder) = places(of: own) else { return nil }
    let script = root + RawString("/Scripts/" + name)
    guard Files.mayExecute(script) else { return nil }
    let arguments = [script, folder] + ProcessInput.arguments.dropFirst()
    let error = Programs.become(script, arguments: arguments, environment: ProcessInput.environment)
    return Refusal(.programNotRunnable, "\(script) cannot be run (\(error.words))")
  }

  /// The checkout's folder; nil if the command lies in none.
  public static var folder: String? {
    guard let own = try? Files.realPath("/proc/self/exe"), let (root, _) = places(of: own),
      (try? FileStatus(of: root + "/Package.swift")) != nil
    else { return nil }
    return root.text
  }

  /// Of a program that a build made: the checkout, and the build's folder in it, which is CHECKOUT/SCRATCH/TRIPLE/CONFIGURATION.
  static func places(of program: RawString) -> (root: RawString, folder: RawString)? {
    let parts = program.bytes.split(separator: slash).map { RawString($0) }
    guard parts.count >= 5, ["debug", "release"].contains(parts[parts.count - 2]) else { return nil }
    func joined(_ parts: some Sequence<RawString>) -> RawString { parts.reduce(RawString("")) { $0 + RawString("/") + $1 } }
    return (joined(parts.dropLast(4)), joined(parts.dropLast()))
  }
}
