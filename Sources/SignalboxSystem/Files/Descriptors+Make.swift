// Descriptors+Make.swift: pipes, and how files are opened. Reading and writing either is Transfers.swift.
import CSignalbox
import Glibc

/// open(2)'s flags, named here so that upper layers need no C library import. They are added up.
public enum OpenFlag {
  /// To read only.
  public static let read = O_RDONLY
  /// To write only.
  public static let write = O_WRONLY
  /// To read and to write.
  public static let readWrite = O_RDWR
  /// A file that is absent is made.
  public static let create = O_CREAT
}

/// Both ends of a pipe. Whoever has it closes them, each once.
public struct PipeEnds: Sendable {
  /// What was written comes out here.
  public let reading: Int32
  /// Goes in here.
  public let writing: Int32

  /// A new pipe, closed on exec.
  ///
  /// - Throws: `SystemError`: `EMFILE` or `ENFILE` where there are no descriptors left.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try checked("pipe2", sb_pipe(&ends))
    (reading, writing) = (ends[0], ends[1])
  }
}
