// ObjectText.swift: an object in full, as `print` and reports show it: what it is, its label or name, its address, its
// state. The short names that sentences use are ObjectNaming.swift.
import SignalboxSystem
import SignalboxWords

/// The forms of such texts.
package enum ObjectText {
  /// `<DispatchQueue "store" 0x55d0 serial, 3 pending>`.
  package static func plain(_ type: String, _ name: String?, _ address: UInt, _ facts: [String]) -> String {
    let named = name.flatMap { $0.isEmpty ? nil : " \"\($0)\"" } ?? ""
    let state = facts.isEmpty ? "" : " " + facts.joined(separator: ", ")
    return "<\(type)\(named) 0x\(String(address, radix: 16))\(state)>"
  }

  /// `<NSLock: 0x55d0>{name = "accounts", held by thread 7}`: the form of Foundation's classes.
  package static func foundation(_ type: String, _ name: String?, _ address: UInt, _ facts: [String]) -> String {
    let all = (name.map { ["name = \"\($0)\""] } ?? []) + facts
    return "<\(type): 0x\(String(address, radix: 16))>" + (all.isEmpty ? "" : "{\(all.joined(separator: ", "))}")
  }

  /// A lock by the address that its reports have, with the name that it was given; its state in words, nil where it is
  /// not known.
  package static func lock(_ kind: WaitKind, _ address: UInt, state: String?) -> String {
    let facts = [kind.trait, state].compactMap { $0 }, name = LockNames.name(of: address)
    return kind.isFoundations
      ? foundation(kind.typeName, name, address, facts) : plain(kind.typeName, name, address, facts)
  }

  /// What a thread does with the object that has it by its owner value.
  package static func held(by owner: UInt64) -> String { "held by \(thread(owner))" }

  /// The thread of an owner value: by the kernel's number.
  package static func thread(_ owner: UInt64) -> String {
    ThreadTable.entry(owner: owner).map { "thread \($0.thread)" } ?? "a thread that has ended"
  }
}

extension WaitKind {
  /// The type that a program has made one of; what it is where many types have it.
  fileprivate var typeName: String {
    switch self {
    case .mutex, .errorCheckMutex, .recursiveMutex: "MutexLock"
    case .readLock, .writeLock: "ReaderWriterLock"
    case .condition: "ConditionVariable"
    case .once: "Once"
    case .foreignMutex: "pthread_mutex_t"
    case .spinLock: "OSSpinLock"
    default: noun
    }
  }

  /// What sets it apart from others of its type.
  fileprivate var trait: String? {
    switch self {
    case .errorCheckMutex: "error-checking"
    case .recursiveMutex: "recursive"
    default: nil
    }
  }

  fileprivate var isFoundations: Bool { [.nsLock, .nsRecursiveLock, .nsCondition, .nsConditionLock].contains(self) }
}
