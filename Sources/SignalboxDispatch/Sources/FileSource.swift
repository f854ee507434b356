// FileSource.swift: a source for what happens to the file or folder behind a descriptor. The kernel's watches are shared by all
// of them (FileTable.swift).
import SignalboxSystem

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
  /// Makes a source for what happens to the file, folder, named pipe or device behind a descriptor.
  ///
  /// The object is followed by identity: under another name, or without any, it stays the same; what takes its name is not meant.
  /// The descriptor stays open until the cancel handler runs; one that is closed before is reported on standard error, and the
  /// source gets no further events.
  ///
  /// - Parameters:
  ///   - fileDescriptor: Open, in any mode, of a file that may be read. `O_PATH` is enough.
  ///   - eventMask: What to be told of. `.extend` comes with growth only. `.link` comes for a folder when the number of folders
  ///     in it changes. `.revoke` comes when the file system is unmounted. `.funlock` never comes: Linux does not tell.
  ///   - queue: Where handlers run; nil means the default global queue.
  /// - Note: What the kernel refuses (no inotify watch left, file not readable) is said on standard error and in `refusal`, and
  ///   the source is cancelled.
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject {
    ObjectKinds.makeOrStop(.fileSystemObject, UInt(bitPattern: Int(fileDescriptor)), eventMask.rawValue, queue)
  }

  /// Whether a file system object source with this mask gets its events here.
  ///
  /// - Throws: `SourceRefusal` that says why not, and how to mend it.
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
