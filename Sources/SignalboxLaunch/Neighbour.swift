// Neighbour.swift: the other programs of this build: they lie beside the running one.
import SignalboxSystem

/// Programs that a build puts into the same folder as the running one.
public enum Neighbour {
  /// Becomes the program `name`, with the arguments and the environment of this process. Returns only if that failed.
  public static func become(_ name: String) -> Refusal {
    do throws(Refusal) {
      let program = try path(name)
      let arguments = [program] + ProcessInput.arguments.dropFirst()
      let error = Programs.become(program, arguments: arguments, environment: ProcessInput.environment)
      return Refusal(.programNotRunnable, "\(program) cannot be run (\(error.words)): build it with Scripts/build Benchmarks")
    } catch {
      return error
    }
  }

  /// Where `name` lies, or would.
  static func path(_ name: String) throws(Refusal) -> RawString {
    do throws(SystemError) {
      let own = try Files.realPath("/proc/self/exe")
      return RawString(own.bytes[...(own.bytes.lastIndex(of: slash) ?? 0)]) + RawString(name)
    } catch {
      throw Refusal(.programNotFound, "cannot tell where this command lies (/proc/self/exe: \(error.words))")
    }
  }
}
