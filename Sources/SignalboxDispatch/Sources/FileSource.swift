// FileSource.swift: a source for what happens to the file or folder behind a descriptor. The inotify watches are shared
// by all of them (FileTable.swift).
import SignalboxSystem

/// The flag with which code for Apple's platforms opens what a file system source observes. Linux has none like it: it
/// is `O_RDONLY`, so the file has to be readable, and its file system stays in use.
///
/// ```swift
/// let descriptor = open("/tmp", O_EVTONLY)
/// let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: descriptor, eventMask: .write, queue: .main)
/// source.setCancelHandler { close(descriptor) }
/// source.activate()
/// ```
public let O_EVTONLY: Int32 = 0

package final class FileCore: EventFlagsCore, @unchecked Sendable {
  // SAFETY of @unchecked: `observer` is written by start(), and read by stop(), which comes after it.
  typealias Event = DispatchSource.FileSystemEvent

  /// What the descriptor named when the source was made.
  private let facts: FileFacts?
  private var observer: FileObserver?

  package init(_ descriptor: Int32, _ mask: DispatchSource.FileSystemEvent, target: DispatchQueue) {
    facts = FileFacts(descriptor: descriptor)
    super.init(kind: "file system object", target: target, handle: UInt(UInt32(bitPattern: descriptor)), mask: mask.rawValue)
  }

  override func start() {
    let descriptor = Int32(truncatingIfNeeded: handle)
    // Linux has no notice of a lock that is given back.
    let mask = Event(rawValue: mask).subtracting(.funlock)
    guard let facts else { return refused(SystemError(call: "fstat", code: ErrorNumber.badDescriptor)) }
    let observer = FileObserver(
      descriptor: descriptor, mask: mask, facts: facts, label: { [weak self] in self?.sourceName ?? "" }
    ) { [weak self] in self?.deliver($0.rawValue) }
    do {
      try FileTable.shared.join(observer)
      self.observer = observer
    } catch {
      refused(error)
    }
  }

  override func stop() {
    if let observer { FileTable.shared.leave(observer) }
    stopped()
  }

  private func refused(_ error: SystemError) {
    refuse(SourceRefusal("the events of descriptor \(Int32(truncatingIfNeeded: handle))", error), .isCancelled)
  }
}

extension DispatchSource {
  /// Makes a source for events of the file, folder, named pipe or device behind a descriptor.
  ///
  /// The source follows the object itself, not its name: it continues after the object is renamed or unlinked, and
  /// ignores a new object with the old name. The descriptor must stay open until the cancel handler runs; closing it
  /// earlier is reported on standard error, and the source gets no further events.
  ///
  /// - Parameters:
  ///   - fileDescriptor: an open descriptor, in any mode, of a file that may be read. `O_PATH` is enough.
  ///   - eventMask: the events to report. `.extend` is reported only when the object grows. `.link` is reported for a folder
  ///     when the number of folders in it changes. `.revoke` is reported when the file system is unmounted. `.funlock` is never
  ///     reported: Linux has no such event.
  ///   - queue: where handlers run; nil means the default global queue.
  /// - Note: If the kernel refuses (no inotify watch left, or the file may not be read), that is reported on standard
  ///   error and in `refusal`, and the source is cancelled.
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject {
    ObjectKinds.makeOrStop(.fileSystemObject, UInt(bitPattern: Int(fileDescriptor)), eventMask.rawValue, queue)
  }

  /// Checks whether a file system object source with this mask gets its events on this machine.
  ///
  /// ```swift
  /// do {
  ///   try DispatchSource.checkFileSystemObjectSource(fileDescriptor: 0, eventMask: .write)  // of standard input
  /// } catch {
  ///   print("its changes are not reported:", error)
  /// }
  /// ```
  ///
  /// - Throws: a `SourceRefusal` that says why not, and what to do about it.
  public class func checkFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent
  ) throws(SourceRefusal) {
    let events = "the events of descriptor \(fileDescriptor)"
    guard let facts = FileFacts(descriptor: fileDescriptor) else {
      throw SourceRefusal(events, SystemError(call: "fstat", code: ErrorNumber.badDescriptor))
    }
    let observer = FileObserver(
      descriptor: fileDescriptor, mask: eventMask.subtracting(.funlock), facts: facts, label: { "" }, deliver: { _ in })
    do { try FileTable.shared.join(observer) } catch { throw SourceRefusal(events, error) }
    FileTable.shared.leave(observer)
  }
}
