// Writer.swift: carries a plan out, or a patch back: all files or none.
import SignalboxCommandLine
import SignalboxSystem

/// A package's folder, to write to.
struct Writer {
  let root: String

  private func place(_ path: String) -> RawString { RawString(root + "/" + path) }
  private var patch: RawString { place(Patch.name) }

  /// Does what the plan says. `check` is called with all files written; what it throws takes them back.
  func write(_ plan: Plan, check: () throws(MigrateRefusal) -> Void) throws(MigrateRefusal) {
    guard (try? FileStatus(of: patch, links: .notFollowed)) == nil else {
      throw MigrateRefusal(
        .noPermission, "\(patch) is there already: take that move back with --undo, or remove the file to keep it for good")
    }
    var changes = plan.files.map { Change(path: $0.source.path, old: $0.source.bytes, new: $0.result) }
    changes += plan.new.map { Change(path: $0.path, old: nil, new: Array($0.text.utf8)) }
    try refuseIfChanged(changes.filter { contents($0.path) != $0.old }.map(\.path))
    try carryOut([Change(path: Patch.name, old: nil, new: Patch(plan).bytes)] + changes, check)
  }

  /// Takes back what the patch says was done. Returns the files.
  func undo() throws(MigrateRefusal) -> [String] {
    guard let bytes = contents(Patch.name) else {
      throw MigrateRefusal(.dataError, "there is no \(patch): nothing was moved here, or it was taken back already")
    }
    guard let patch = Patch(bytes) else {
      throw MigrateRefusal(.dataError, "\(self.patch) is not as --write left it: take the changes back by other means")
    }
    var changes: [Change] = [], changed: [String] = []
    for file in patch.files {
      guard Self.isInside(file.path) else {
        throw MigrateRefusal(.dataError, "\(self.patch) names a file elsewhere: \(file.path)")
      }
      // What a --write or an --undo that was cut off has not come to is as it is to be.
      if isBefore(file) { continue }
      guard let now = contents(file.path), Patch.fingerprint(now) == file.after,
        let old = file.before.isEmpty ? [] : file.undone(now)
      else {
        changed.append(file.path)
        continue
      }
      changes.append(Change(path: file.path, old: now, new: file.before.isEmpty ? nil : old))
    }
    guard changed.isEmpty else {
      throw MigrateRefusal(
        .noPermission,
        "nothing is taken back, since these files were changed after the move: \(changed.joined(separator: ", ")). Take those "
          + "changes out first, or let `patch -R -p1 <\(Patch.name)` merge them")
    }
    try carryOut(changes + [Change(path: Patch.name, old: bytes, new: nil)]) {}
    return patch.files.map(\.path)
  }

  /// Whether a file is as it was before the move.
  private func isBefore(_ file: Patch.File) -> Bool {
    if file.before.isEmpty { return (try? FileStatus(of: place(file.path), links: .notFollowed)) == nil }
    return contents(file.path).map(Patch.fingerprint) == file.before
  }

  /// The first symbolic link on the way to a file, the file included; nil if there is none.
  func link(on path: String) -> String? {
    var way = ""
    for part in path.split(separator: "/") {
      way += way.isEmpty ? String(part) : "/" + part
      if (try? FileStatus(of: place(way), links: .notFollowed))?.kind == .symbolicLink { return way }
    }
    return nil
  }

  /// From one contents to another; nil for no file.
  private struct Change {
    var path: String
    var old: [UInt8]?
    var new: [UInt8]?
  }

  /// A path in the package's own folder.
  static func isInside(_ path: String) -> Bool {
    !path.isEmpty && !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
      && !path.utf8.contains(UInt8(ascii: "\n"))
  }

  /// Of a file that is not a link and is not reached through one.
  private func contents(_ path: String) -> [UInt8]? {
    guard link(on: path) == nil, (try? FileStatus(of: place(path), links: .notFollowed))?.kind == .regular else { return nil }
    return try? Files.contents(place(path))
  }

  private func refuseIfChanged(_ paths: [String]) throws(MigrateRefusal) {
    guard !paths.isEmpty else { return }
    throw MigrateRefusal(
      .noPermission, "nothing is written, since these files were changed meanwhile: \(paths.joined(separator: ", "))")
  }

  private func carryOut(_ changes: [Change], _ check: () throws(MigrateRefusal) -> Void) throws(MigrateRefusal) {
    var done: [Change] = []
    do throws(MigrateRefusal) {
      for change in changes {
        try set(change.path, change.new)
        done.append(change)
      }
      try check()
    } catch {
      // The patch comes back last: as long as one file is not as it was, it is needed.
      var left: [String] = []
      for change in done.reversed() {
        if change.path == Patch.name && !left.isEmpty { continue }
        do throws(MigrateRefusal) { try set(change.path, change.old) } catch { left.append(change.path) }
      }
      guard left.isEmpty else {
        throw MigrateRefusal(
          error.status,
          "\(error.message); but these files could not be set back: \(left.joined(separator: ", ")). "
            + "`signalbox migrate --undo` will do it once they can be written")
      }
      throw error
    }
  }

  private func set(_ path: String, _ bytes: [UInt8]?) throws(MigrateRefusal) {
    do throws(SystemError) {
      if let bytes { try Files.write(bytes, to: place(path)) } else { try Files.removeFile(place(path)) }
    } catch {
      throw MigrateRefusal(.cannotCreateFile, "\(place(path)) cannot be written (\(error.words)): nothing is changed")
    }
  }
}
