// InspectedProcess+Refusals.swift: why a process cannot be inspected, and what cures that.
import SignalboxSystem

extension InspectedProcess {
  /// Words of 32 bits are not read.
  func checkWidth() throws(InspectRefusal) {
    guard let program = try? FileBytes(RawString("/proc/\(process.id)/exe")), Self.is32Bit(program.read(at: 0, count: 5)) else {
      return
    }
    throw InspectRefusal(
      .notPrepared,
      "\(subject) is a program of 32 bits, which this command cannot read: build it for 64 bits, or use a debugger")
  }

  /// Whether a program's file begins as one of 32 bits.
  static func is32Bit(_ bytes: [UInt8]) -> Bool { bytes == [0x7f] + Array("ELF".utf8) + [1] }

  /// A process that was connected to does not answer, or no more.
  func broken(_ requests: ProcessRequests, _ refusal: SystemError?) -> InspectRefusal {
    do throws(InspectRefusal) {
      if requests.failure == .end { try checkEnds() } else { try checkIsThere() }
    } catch {
      return error
    }
    switch requests.failure {
    case .otherVersion:
      return InspectRefusal(
        .noAnswer,
        "\(subject) uses a different protocol version, because it has another version of Signalbox; use the command of that version"
      )
    case .silence:
      let time = "\(patience / 1_000_000_000) s"
      return because(refusal, InspectRefusal(.noAnswer, "\(subject) does not answer within \(time): \(silence)"))
    case .end, nil:
      return because(refusal, InspectRefusal(.noAnswer, "\(subject) has broken its answer off: it ends, or refuses this user"))
    }
  }

  private var silence: String {
    let threads = (try? Files.names(in: RawString("/proc/\(process.id)/task"))) ?? []
    let states = threads.compactMap { OtherProcess.threadState($0, of: process.id) }
    let isStopped = !states.isEmpty && states.allSatisfy { $0 == "T" || $0 == "t" }
    return isStopped
      ? "it is stopped: let it go on with \"kill -CONT \(process.id)\", or leave the debugger"
      : "the thread that answers gets no processor, or the process has no memory or descriptor left"
  }

  /// It has no name under which it could be asked.
  func whyNone(_ failures: [SystemError], _ refusal: SystemError?) -> InspectRefusal {
    because(refusal, whyNone(failures))
  }

  private func whyNone(_ failures: [SystemError]) -> InspectRefusal {
    let variable = InspectionRequest.variable
    if let failure = failures.first {
      return InspectRefusal(.notPermitted, "\(subject) cannot be asked (\(failure)): run the command as its user, or as root")
    }
    guard let environment = OtherProcess.environment(of: process.id) else {
      return InspectRefusal(.notPrepared, "\(subject) takes no questions, and hides from its user what it is (PR_SET_DUMPABLE)")
    }
    if environment.contains(RawString("\(variable)=1")) {
      return InspectRefusal(
        .notPrepared,
        "\(subject) was started with \(variable)=1, and takes no questions: it has not used Signalbox yet, is the child of a "
          + "fork, or has said on its standard error why not")
    }
    if OtherImages.contain(variable, process: process.id) {
      return InspectRefusal(.notPrepared, "\(subject) takes no questions: start it with \(variable)=1 in its environment")
    }
    return InspectRefusal(
      .notPrepared,
      "\(subject) does not use Signalbox: link it, or start the program with \"\(variable)=1 signalbox run -- PROGRAM\"")
  }

  /// Why it does not answer, and why its memory cannot be read.
  private func because(_ error: SystemError?, _ refusal: InspectRefusal) -> InspectRefusal {
    error.map { Self.refusal(refusal, $0, OtherMemory(of: process.id).hindrance) } ?? refusal
  }

  static func refusal(_ refusal: InspectRefusal, _ error: SystemError, _ hindrance: OtherMemory.Hindrance) -> InspectRefusal {
    let why =
      switch hindrance {
      case .yama(let scope):
        "the kernel lets \(scope == 1 ? "no process but its parents" : scope == 2 ? "no user but root" : "no process") read it "
          + "(kernel.yama.ptrace_scope is \(scope)): start it with \(InspectionRequest.variable)=1"
          + (scope > 2 ? "" : ", or run the command as root")
      case .hidden:
        "it hides its memory from its user (PR_SET_DUMPABLE): run the command as root"
      case .forbidden:
        "nothing may read memory here, as in a container whose seccomp profile refuses process_vm_readv: run the command outside of it, "
          + "or start the process with \(InspectionRequest.variable)=1"
      case .other:
        error.isRefusal
          ? "the kernel refuses that: start it with \(InspectionRequest.variable)=1, or run the command as root" : "\(error)"
      }
    return InspectRefusal(refusal.kind, "\(refusal.message). Its memory cannot be read either: \(why)")
  }
}
