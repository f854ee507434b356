// InspectedProcess+Reading.swift: a process that does not answer is read instead. How it is asked is InspectedProcess.swift.
import SignalboxSystem

extension InspectedProcess {
  /// What it does at this moment, as it says itself; of a process that does not answer, as its memory shows it.
  public func inspectOrRead(wantsStacks: Bool = false) throws(InspectRefusal) -> [Inspection] {
    do throws(InspectRefusal) { return try inspect(wantsStacks: wantsStacks) } catch {
      switch error.kind {
      case .notPrepared, .noAnswer, .notPermitted: return try read(because: error)
      default: throw error
      }
    }
  }

  /// What its memory shows of it.
  ///
  /// - Parameter refusal: why it does not answer itself.
  func read(because refusal: InspectRefusal? = nil) throws(InspectRefusal) -> [Inspection] {
    let subject = "process \(process.id) (\(process.name))"
    let live: LiveProcess
    do { live = try LiveProcess(process) } catch {
      try checkIsThere()
      throw Self.refusal(refusal, subject, error, OtherMemory(of: process.id).hindrance)
    }
    do throws(InspectRefusal) {
      let inspections = try RemoteInspection.all(in: live, subject)
      try checkIsThere()
      if live.isAnotherProgram {
        throw InspectRefusal(.noAnswer, "\(subject) has become another program meanwhile: inspect it again")
      }
      return inspections
    } catch {
      try checkIsThere()
      // Why it does not answer tells more than that nothing was found.
      throw refusal.map { $0.kind == .noAnswer || error.kind == .notPrepared ? $0 : error } ?? error
    }
  }

  static func refusal(
    _ refusal: InspectRefusal?, _ subject: String, _ error: SystemError, _ hindrance: OtherMemory.Hindrance
  ) -> InspectRefusal {
    let why =
      switch hindrance {
      case .yama(let scope):
        "the kernel lets \(scope == 1 ? "nobody but its parents" : scope == 2 ? "nobody but root" : "nobody") read it "
          + "(kernel.yama.ptrace_scope is \(scope)): start it with \(InspectionRequest.variable)=1"
          + (scope > 2 ? "" : ", or run the command as root")
      case .hidden:
        "it hides its memory from its user (PR_SET_DUMPABLE): start it with \(InspectionRequest.variable)=1, or run the command as root"
      case .forbidden:
        "nothing may read memory here, as in a container whose seccomp profile refuses process_vm_readv: run the command outside of it, "
          + "or start the process with \(InspectionRequest.variable)=1"
      case .other:
        error.isRefusal
          ? "the kernel refuses that: start it with \(InspectionRequest.variable)=1, or run the command as root" : "\(error)"
      }
    let first = refusal?.message ?? "\(subject) was not asked"
    return InspectRefusal(refusal?.kind ?? .notPermitted, "\(first). Its memory cannot be read either: \(why)")
  }
}
