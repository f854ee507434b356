// SourceTypes.swift: the kinds of sources and the flags of their events, as C names them. The functions are Sources.swift.
import SignalboxDispatch

/// A kind of source: one of the `DISPATCH_SOURCE_TYPE_` constants.
///
/// Thread safety: a value.
public struct dispatch_source_type_t: Sendable, Equatable {
  let kind: SourceEngineKind
  init(_ kind: SourceKind) { self.kind = .plain(kind) }
  init(_ kind: ObjectKinds.Kind) { self.kind = .object(kind) }
}

/// A sum of `DISPATCH_TIMER_` constants.
public typealias dispatch_source_timer_flags_t = UInt
/// A sum of `DISPATCH_PROC_` constants.
public typealias dispatch_source_proc_flags_t = UInt
/// A sum of `DISPATCH_VNODE_` constants.
public typealias dispatch_source_vnode_flags_t = UInt
/// A sum of `DISPATCH_MEMORYPRESSURE_` constants.
public typealias dispatch_source_memorypressure_flags_t = UInt
/// A sum of `DISPATCH_MACH_SEND_` constants.
public typealias dispatch_source_mach_send_flags_t = UInt

// MARK: kinds; handle and mask are 0 where they are not mentioned

/// The program's own data; the handler gets the sum since the last event.
public let DISPATCH_SOURCE_TYPE_DATA_ADD = dispatch_source_type_t(.dataAdd)
/// The program's own data; the handler gets the bitwise OR since the last event.
public let DISPATCH_SOURCE_TYPE_DATA_OR = dispatch_source_type_t(.dataOr)
/// The program's own data; the handler gets the latest value.
public let DISPATCH_SOURCE_TYPE_DATA_REPLACE = dispatch_source_type_t(.dataReplace)
/// A timer; the mask may be `DISPATCH_TIMER_STRICT`. Set it with `dispatch_source_set_timer`.
public let DISPATCH_SOURCE_TYPE_TIMER = dispatch_source_type_t(.timer)
/// Bytes to read; the handle is a descriptor, the data estimates their number.
public let DISPATCH_SOURCE_TYPE_READ = dispatch_source_type_t(.read)
/// Room to write; the handle is a descriptor, the data estimates the number of bytes.
public let DISPATCH_SOURCE_TYPE_WRITE = dispatch_source_type_t(.write)
/// Signals to this process; the handle is a signal number, the data is the number of signals.
public let DISPATCH_SOURCE_TYPE_SIGNAL = dispatch_source_type_t(.signal)
/// Events of a process; the handle is its identifier, mask and data are `DISPATCH_PROC_` flags.
public let DISPATCH_SOURCE_TYPE_PROC = dispatch_source_type_t(.process)
/// Events of a file or folder; the handle is a descriptor, mask and data are `DISPATCH_VNODE_` flags.
public let DISPATCH_SOURCE_TYPE_VNODE = dispatch_source_type_t(.fileSystemObject)
/// Memory pressure; mask and data are `DISPATCH_MEMORYPRESSURE_` flags.
public let DISPATCH_SOURCE_TYPE_MEMORYPRESSURE = dispatch_source_type_t(.memoryPressure)
/// The end of a port's receiver; the handle is a port's name, mask and data are `DISPATCH_MACH_SEND_DEAD`.
public let DISPATCH_SOURCE_TYPE_MACH_SEND = dispatch_source_type_t(.machSend)
/// Messages that wait at a port; the handle is the port's name.
public let DISPATCH_SOURCE_TYPE_MACH_RECV = dispatch_source_type_t(.machReceive)

// MARK: flags of masks and data

/// The leeway of a timer is kept exactly, however small it is.
public let DISPATCH_TIMER_STRICT: dispatch_source_timer_flags_t = 0x1

/// The process has ended.
public let DISPATCH_PROC_EXIT: dispatch_source_proc_flags_t = 0x8000_0000
/// The process made a child process.
public let DISPATCH_PROC_FORK: dispatch_source_proc_flags_t = 0x4000_0000
/// The process replaced its program.
public let DISPATCH_PROC_EXEC: dispatch_source_proc_flags_t = 0x2000_0000
/// A signal was delivered to the process.
public let DISPATCH_PROC_SIGNAL: dispatch_source_proc_flags_t = 0x0800_0000

/// The last name of the file was removed.
public let DISPATCH_VNODE_DELETE: dispatch_source_vnode_flags_t = 0x1
/// The file's contents, or the folder's entries, have changed.
public let DISPATCH_VNODE_WRITE: dispatch_source_vnode_flags_t = 0x2
/// The file has grown.
public let DISPATCH_VNODE_EXTEND: dispatch_source_vnode_flags_t = 0x4
/// The file's metadata changed.
public let DISPATCH_VNODE_ATTRIB: dispatch_source_vnode_flags_t = 0x8
/// The link count changed.
public let DISPATCH_VNODE_LINK: dispatch_source_vnode_flags_t = 0x10
/// The file was renamed.
public let DISPATCH_VNODE_RENAME: dispatch_source_vnode_flags_t = 0x20
/// Access to the file was revoked: its file system was unmounted.
public let DISPATCH_VNODE_REVOKE: dispatch_source_vnode_flags_t = 0x40
/// The file was unlocked; accepted, but never reported on Linux.
public let DISPATCH_VNODE_FUNLOCK: dispatch_source_vnode_flags_t = 0x100

/// Memory is plentiful again.
public let DISPATCH_MEMORYPRESSURE_NORMAL: dispatch_source_memorypressure_flags_t = 0x1
/// Memory has become scarce.
public let DISPATCH_MEMORYPRESSURE_WARN: dispatch_source_memorypressure_flags_t = 0x2
/// Memory has become very scarce.
public let DISPATCH_MEMORYPRESSURE_CRITICAL: dispatch_source_memorypressure_flags_t = 0x4

/// The port has no receiver any more.
public let DISPATCH_MACH_SEND_DEAD: dispatch_source_mach_send_flags_t = 0x1
