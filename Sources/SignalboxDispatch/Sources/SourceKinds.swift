// SourceKinds.swift: making a source of any kind from plain numbers, as C does, or from a handle and a mask. Each kind
// has a file of its own.
import SignalboxSystem

/// The kinds of sources that C can ask for.
package enum SourceKind: Int32, Sendable {
  case timer = 1, dataAdd, dataOr, dataReplace, read, write, signal
}

/// One function for all kinds.
package enum SourceKinds {
  /// A source, inactive; nil if the kind does not know such a handle or mask. A nil queue means the default global queue.
  package static func make(_ kind: SourceKind, handle: UInt, mask: UInt, queue: DispatchQueue?) -> DispatchSource? {
    let target = DispatchSource.target(queue)
    switch kind {
    case .timer: return handle == 0 && mask & ~1 == 0 ? TimerSource(queue: queue, flags: mask) : nil  // the one flag: strict
    case .dataAdd: return data(.add, handle, mask, target)
    case .dataOr: return data(.or, handle, mask, target)
    case .dataReplace: return data(.replace, handle, mask, target)
    case .read: return descriptor(.readable, handle, mask, target)
    case .write: return descriptor(.writable, handle, mask, target)
    case .signal: return signal(handle, mask, target)
    }
  }

  private static func data(
    _ merging: DataCore.Merging, _ handle: UInt, _ mask: UInt, _ target: DispatchQueue
  ) -> DispatchSource? { handle == 0 && mask == 0 ? DispatchSource(DataCore(merging, target: target)) : nil }

  private static func descriptor(
    _ direction: DescriptorDirection, _ handle: UInt, _ mask: UInt, _ target: DispatchQueue
  ) -> DispatchSource? {
    guard mask == 0, let descriptor = Int32(exactly: handle) else { return nil }
    return DispatchSource(DescriptorCore(direction, descriptor, target: target))
  }

  private static func signal(_ handle: UInt, _ mask: UInt, _ target: DispatchQueue) -> DispatchSource? {
    guard mask == 0, let number = Int32(exactly: handle) else { return nil }
    switch SignalNumber.judge(number) {
    case .watchable: return DispatchSource(SignalCore(number, target: target))
    case .unknown: return nil
    case .notForPrograms:
      Misuse.report("no source is made for signal \(number): \(SignalNumber.refusal)")
      return nil
    }
  }
}

// MARK: processes, files, memory pressure and ports

// What is wrong with a handle or a mask is answered by C's rules (nil) or by Swift's (a message).

package enum ObjectKinds {
  /// The kinds.
  package enum Kind: CaseIterable, Sendable { case process, fileSystemObject, memoryPressure, machSend, machReceive }

  /// A source of this kind, inactive; nil for a handle or a mask that the kind does not know, as the header says.
  ///
  /// What the kernel refuses is no invalid argument: the source exists, says so when it is activated, and has `refusal`.
  package static func make(_ kind: Kind, handle: UInt, mask: UInt, queue: DispatchQueue?) -> DispatchSource? {
    fault(kind, handle, mask) == nil ? made(kind, handle, mask, queue) : nil
  }

  /// The Swift face: arguments that no source can be made from stop the program.
  static func makeOrStop(_ kind: Kind, _ handle: UInt, _ mask: UInt, _ queue: DispatchQueue?) -> DispatchSource {
    if let fault = fault(kind, handle, mask) { Misuse.stop(fault) }
    return made(kind, handle, mask, queue)
  }

  private static func made(_ kind: Kind, _ handle: UInt, _ mask: UInt, _ queue: DispatchQueue?) -> DispatchSource {
    let target = DispatchSource.target(queue)
    let core: SourceCore =
      switch kind {
      case .process: ProcessCore(Int32(handle), .init(rawValue: mask), target: target)
      case .fileSystemObject: FileCore(Int32(handle), .init(rawValue: mask), target: target)
      case .memoryPressure: PressureCore(.init(rawValue: mask), target: target)
      case .machSend: PortSendCore(Int32(handle), .init(rawValue: mask), target: target)
      case .machReceive: PortReceiveCore(Int32(handle), target: target)
      }
    return DispatchSource(core)
  }

  /// What is wrong with the arguments, and how to mend it; nil if nothing is.
  static func fault(_ kind: Kind, _ handle: UInt, _ mask: UInt) -> String? {
    let unknown = mask & ~known(kind)
    if unknown != 0 {
      return "a \(name(kind)) source is made for events that it does not know (mask 0x\(String(mask, radix: 16))): give "
        + "only those that the kind's event set names"
    }
    let number = Int32(exactly: Int(bitPattern: handle))
    switch kind {
    case .process:
      guard let number, number > 0 else {
        return "a process source is made for \(Int(bitPattern: handle)), which no process can have as its identifier: give one "
          + "greater than 0"
      }
    case .fileSystemObject: return number.flatMap(fileFault) ?? (number == nil ? closed("file system object", handle) : nil)
    case .memoryPressure:
      if handle != 0 { return "a memory pressure source has no handle: give 0" }
    case .machSend, .machReceive:
      guard let number else { return closed(name(kind), handle) }
      if MessageSocket.state(of: number) == .notAPort {
        return "a \(name(kind)) source is made for \(number), which is not the name of an open port: give the name of a "
          + "SignalboxPort"
      }
    }
    return nil
  }

  private static func fileFault(_ descriptor: Int32) -> String? {
    guard let facts = FileFacts(descriptor: descriptor) else {
      return closed("file system object", UInt(bitPattern: Int(descriptor)))
    }
    guard facts.kind == .none else { return nil }
    return
      "a file system object source is made for descriptor \(descriptor), which is no object of a file system: give one of a "
      + "file, a folder, a named pipe or a device"
  }

  private static func closed(_ name: String, _ handle: UInt) -> String {
    "a \(name) source is made for descriptor \(Int(bitPattern: handle)), which is not open: open it before, and close it in the "
      + "cancel handler"
  }

  private static func name(_ kind: Kind) -> String {
    switch kind {
    case .process: "process"
    case .fileSystemObject: "file system object"
    case .memoryPressure: "memory pressure"
    case .machSend: "port send"
    case .machReceive: "port receive"
    }
  }

  private static func known(_ kind: Kind) -> UInt {
    switch kind {
    case .process: DispatchSource.ProcessEvent.all.rawValue
    case .fileSystemObject: DispatchSource.FileSystemEvent.all.rawValue
    case .memoryPressure: DispatchSource.MemoryPressureEvent.all.rawValue
    case .machSend: DispatchSource.MachSendEvent.dead.rawValue
    case .machReceive: 0
    }
  }
}
