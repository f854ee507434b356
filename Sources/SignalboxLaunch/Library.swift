// Library.swift: the library that programs get in place of libdispatch: where it is, and that it is one.
import SignalboxSystem

/// Signalbox's library with libdispatch's C interface.
public struct Library: Sendable, Equatable {
  /// Its file's name beside the command `signalbox`: not that of libdispatch, or the command would load it itself.
  public static let fileName = "libSignalboxABI.so"
  /// The variable that names another file; ignored when the command runs with more rights than its caller.
  public static let override = "SIGNALBOX_LIBRARY"

  /// The file's path without links.
  public let path: RawString
  /// Which file it is.
  public let identity: FileStatus.Identity
  /// For which processor.
  public let machine: ElfImage.Machine

  /// Finds it beside the running command, or where SIGNALBOX_LIBRARY says.
  public static func find() throws(Refusal) -> Library {
    if let named = Environment.value(override), !named.isEmpty {
      return try at(RawString(named), fix: "see what \(override) names, or unset it")
    }
    let command: RawString
    do throws(SystemError) { command = try Files.realPath("/proc/self/exe") } catch {
      throw Refusal(.libraryMissing, "cannot tell where this command lies (/proc/self/exe: \(error.words)): set \(override)")
    }
    let folder = command.bytes[...(command.bytes.lastIndex(of: slash) ?? 0)]
    return try at(
      RawString(folder) + RawString(fileName), fix: "install it beside this command, or name it in \(override)")
  }

  /// The library of that name beside the running command.
  public static func beside(_ name: String) throws(Refusal) -> Library {
    try at(Neighbour.path(name), fix: "build all of the package, or install it beside this command")
  }

  /// The library in this file.
  public static func at(_ path: RawString, fix: String) throws(Refusal) -> Library {
    do {
      let real = try Files.realPath(path)
      let status = try FileStatus(of: real)
      guard status.kind == .regular, let image = ElfImage(try FileBytes(real)), image.interpreter == nil, real.text != nil
      else { throw Refusal(.libraryMissing, "\(path) is no shared library: \(fix)") }
      return Library(path: real, identity: status.identity, machine: image.machine)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      let why = (error as? SystemError)?.words ?? "\(error)"
      throw Refusal(.libraryMissing, "Signalbox's library \(path) cannot be read (\(why)): \(fix)")
    }
  }

  /// In a package: the folder beside the library with the runtime libraries that a program may lack; nil if there is none.
  var runtimeFolder: RawString? {
    let folder = RawString(path.bytes[...(path.bytes.lastIndex(of: slash) ?? 0)]) + RawString(PrivateFolder.runtimeName)
    return (try? FileStatus(of: folder))?.kind == .folder ? folder : nil
  }

  /// A name for the library's place: a library elsewhere has another, a new build in the same place has the same, so that what
  /// was written into a service file stays true over an update.
  var key: String {
    // FNV-1a. Two places of one hash would be noticed: the folder's link is compared with the path.
    let hash = path.bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ElfImage {
  /// Reads an opened file's headers; nil if it is no ELF file.
  init?(_ file: FileBytes) { self.init { file.read(at: $0, count: $1) } }
}
