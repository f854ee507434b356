// RecordingCopy.swift: copies the recording that a running process writes. A recording may be copied at any time: its
// readers leave out what is just being written, and the copying code leaves out a piece that is given to other events
// meanwhile.
import SignalboxSystem

/// A recording that is being written.
public struct RecordingCopy {
  private let source: FileBytes
  private let layout: PieceCopy

  /// Finds the recording of a process: among the files that it shares, the first that `isRecording` accepts.
  ///
  /// - Parameter layout: how a recording is laid out.
  public init(
    of process: OtherProcess, _ layout: PieceCopy, isRecording: (RawString) -> Bool
  ) throws(InspectRefusal) {
    let found = OtherImages.sharedFiles(process: process.id).first(where: isRecording)
    guard let found, let source = try? FileBytes(found) else {
      throw InspectRefusal(
        .notPrepared,
        "process \(process.id) (\(process.name)) is not recorded, or the kernel does not show it: start it with SIGNALBOX_FLIGHT=10, or by "
          + "\"signalbox run --flight\"")
    }
    (self.source, self.layout) = (source, layout)
  }

  /// Hands its bytes over, piece by piece; `write` says whether there is use in going on.
  public func write(_ write: ([UInt8]) -> Bool) { layout.write(source, write) }
}
