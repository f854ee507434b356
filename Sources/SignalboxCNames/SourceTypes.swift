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

// MARK: kinds; handle and mask are 0 where nothing is said of them

/// Data of the program's own, added up until the handler takes the sum.
public let DISPATCH_SOURCE_TYPE_DATA_ADD = dispatch_source_type_t(.dataAdd)
/// Bits of the program's own, collected until the handler takes them.
public let DISPATCH_SOURCE_TYPE_DATA_OR = dispatch_source_type_t(.dataOr)
/// Data of the program's own, of which the handler gets the latest.
public let DISPATCH_SOURCE_TYPE_DATA_REPLACE = dispatch_source_type_t(.dataReplace)
/// Times; the mask may be `DISPATCH_TIMER_STRICT`. They are set by `dispatch_source_set_timer`.
public let DISPATCH_SOURCE_TYPE_TIMER = dispatch_source_type_t(.timer)
/// Bytes to be read; the handle is a descriptor, the data about how many.
public let DISPATCH_SOURCE_TYPE_READ = dispatch_source_type_t(.read)
/// Room for bytes to be written; the handle is a descriptor, the data about how many.
public let DISPATCH_SOURCE_TYPE_WRITE = dispatch_source_type_t(.write)
/// Signals to this process; the handle is a signal's number, the data how many came.
public let DISPATCH_SOURCE_TYPE_SIGNAL = dispatch_source_type_t(.signal)
/// What a process does; the handle is its number, mask and data are `DISPATCH_PROC_` flags.
public let DISPATCH_SOURCE_TYPE_PROC = dispatch_source_type_t(.process)
/// What is done to a file or folder; the handle is a descriptor, mask and data are `DISPATCH_VNODE_` flags.
public let DISPATCH_SOURCE_TYPE_VNODE = dispatch_source_type_t(.fileSystemObject)
/// How scarce memory is; mask and data are `DISPATCH_MEMORYPRESSURE_` flags.
public let DISPATCH_SOURCE_TYPE_MEMORYPRESSURE = dispatch_source_type_t(.memoryPressure)
/// The end of a port's receiver; the handle is a port's name, mask and data are `DISPATCH_MACH_SEND_DEAD`.
public let DISPATCH_SOURCE_TYPE_MACH_SEND = dispatch_source_type_t(.machSend)
/// Messages that wait at a port; the handle is the port's name.
public let DISPATCH_SOURCE_TYPE_MACH_RECV = dispatch_source_type_t(.machReceive)

// MARK: flags of masks and data

/// The leeway of a timer is kept even if it is small.
public let DISPATCH_TIMER_STRICT: dispatch_source_timer_flags_t = 0x1

/// The process has ended.
public let DISPATCH_PROC_EXIT: dispatch_source_proc_flags_t = 0x8000_0000
/// The process has made a child.
public let DISPATCH_PROC_FORK: dispatch_source_proc_flags_t = 0x4000_0000
/// The process has become another program.
public let DISPATCH_PROC_EXEC: dispatch_source_proc_flags_t = 0x2000_0000
/// A signal was delivered to the process.
public let DISPATCH_PROC_SIGNAL: dispatch_source_proc_flags_t = 0x0800_0000

/// The last name of the file is gone.
public let DISPATCH_VNODE_DELETE: dispatch_source_vnode_flags_t = 0x1
/// The file's contents, or the folder's entries, have changed.
public let DISPATCH_VNODE_WRITE: dispatch_source_vnode_flags_t = 0x2
/// The file has grown.
public let DISPATCH_VNODE_EXTEND: dispatch_source_vnode_flags_t = 0x4
/// What is noted of the file besides its contents has changed.
public let DISPATCH_VNODE_ATTRIB: dispatch_source_vnode_flags_t = 0x8
/// The number of names has changed.
public let DISPATCH_VNODE_LINK: dispatch_source_vnode_flags_t = 0x10
/// The file has got another name.
public let DISPATCH_VNODE_RENAME: dispatch_source_vnode_flags_t = 0x20
/// The file can no longer be reached: its file system is gone.
public let DISPATCH_VNODE_REVOKE: dispatch_source_vnode_flags_t = 0x40
/// The file is unlocked; accepted, never told on Linux.
public let DISPATCH_VNODE_FUNLOCK: dispatch_source_vnode_flags_t = 0x100

/// Memory is plentiful again.
public let DISPATCH_MEMORYPRESSURE_NORMAL: dispatch_source_memorypressure_flags_t = 0x1
/// Memory has become scarce.
public let DISPATCH_MEMORYPRESSURE_WARN: dispatch_source_memorypressure_flags_t = 0x2
/// Memory has become very scarce.
public let DISPATCH_MEMORYPRESSURE_CRITICAL: dispatch_source_memorypressure_flags_t = 0x4

/// The port has no receiver any more.
public let DISPATCH_MACH_SEND_DEAD: dispatch_source_mach_send_flags_t = 0x1
