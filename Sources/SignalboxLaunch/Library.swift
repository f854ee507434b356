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
      return try at(RawString(named), mend: "see what \(override) names, or unset it")
    }
    let command: RawString
    do throws(SystemError) { command = try Files.realPath("/proc/self/exe") } catch {
      throw Refusal(.libraryMissing, "cannot tell where this command lies (/proc/self/exe: \(error.words)): set \(override)")
    }
    let folder = command.bytes[...(command.bytes.lastIndex(of: slash) ?? 0)]
    return try at(
      RawString(folder) + RawString(fileName), mend: "install it beside this command, or name it in \(override)")
  }

  /// The library in this file.
  public static func at(_ path: RawString, mend: String) throws(Refusal) -> Library {
    do {
      let real = try Files.realPath(path)
      let status = try FileStatus(of: real)
      guard status.kind == .regular, let image = ElfImage(try FileBytes(real)), image.interpreter == nil, real.text != nil
      else { throw Refusal(.libraryMissing, "\(path) is no shared library: \(mend)") }
      return Library(path: real, identity: status.identity, machine: image.machine)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      let why = (error as? SystemError)?.words ?? "\(error)"
      throw Refusal(.libraryMissing, "Signalbox's library \(path) cannot be read (\(why)): \(mend)")
    }
  }

  /// A name for this very build at this very place: another build, or one elsewhere, has another.
  var key: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    path.bytes.forEach(mix)
    for part in [identity.device, identity.number, UInt64(bitPattern: identity.size), UInt64(bitPattern: identity.modified)] {
      withUnsafeBytes(of: part.littleEndian) { $0.forEach(mix) }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ElfImage {
  /// Reads an opened file's headers; nil if it is no ELF file.
  init?(_ file: FileBytes) { self.init { file.read(at: $0, count: $1) } }
}
