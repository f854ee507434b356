// ControlGroup.swift: where the control groups of this process are to be found. What their files say is read by others: StallTrigger.swift,
// ProcessorLimit.swift.

/// Where the control group of this process is to be found.
public enum ControlGroup {
  /// The folder of the process's group in the second version's hierarchy; nil where there is none. In a container that
  /// is the hierarchy's visible root.
  public static func ownFolder() -> RawString? {
    guard let groups = Files.text("/proc/self/cgroup"), let mounts = Files.text("/proc/self/mountinfo") else { return nil }
    return folder(groups: groups, mounts: mounts).map { RawString($0) }
  }

  /// The same from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`. Pure.
  static func folder(groups: String, mounts: String) -> String? {
    place(.second, groups: groups, mounts: mounts)?.folder
  }

  /// One of the hierarchies in which a process has a group.
  enum Hierarchy: Equatable {
    /// The second version's, of which there is one.
    case second
    /// That of the first version in which this controller is.
    case first(String)
  }

  /// A group: where its hierarchy is mounted, and the path below that, empty or beginning with a slash.
  struct Place: Equatable {
    let root: String
    let path: String
    var folder: String { root + path }

    /// The folders of the group and of those around it, as far as they are visible; the group's own comes first.
    var folders: [String] {
      var all = [folder]
      var rest = path[...]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        all.append(root + rest)
      }
      return all
    }
  }

  /// What is taken where the group does not lie below what is mounted, as in some containers.
  enum Elsewhere { case nothing, root }

  /// The process's group in `hierarchy`, from the texts of the two files. Pure.
  static func place(_ hierarchy: Hierarchy, groups: String, mounts: String, elsewhere: Elsewhere = .nothing) -> Place? {
    guard let own = path(hierarchy, groups) else { return nil }
    var first: Place?
    for line in mounts.split(separator: "\n") {
      let parts = line.split(separator: " ")
      // Number, parent, device, the part of the file system that is mounted, where; behind a dash its kind, what, and how.
      guard let dash = parts.firstIndex(of: "-"), dash >= 5, isMount(parts[(dash + 1)...], of: hierarchy) else { continue }
      let root = unescaped(String(parts[4]))
      if let inside = relative(own, below: String(parts[3])) { return Place(root: root, path: inside) }
      if first == nil { first = Place(root: root, path: "") }
    }
    return elsewhere == .root ? first : nil
  }

  /// The group's path as the kernel tells it. A line is the hierarchy's number, its controllers, the path; the second version has number 0.
  private static func path(_ hierarchy: Hierarchy, _ groups: String) -> String? {
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].hasPrefix("/") else { continue }
      switch hierarchy {
      case .second: if parts[0] == "0", parts[1].isEmpty { return String(parts[2]) }
      case .first(let controller):
        if parts[1].split(separator: ",").contains(where: { $0 == controller }) { return String(parts[2]) }
      }
    }
    return nil
  }

  private static func isMount(_ parts: ArraySlice<Substring>, of hierarchy: Hierarchy) -> Bool {
    guard let kind = parts.first else { return false }
    switch hierarchy {
    case .second: return kind == "cgroup2"
    case .first(let controller):
      guard kind == "cgroup", let options = parts.dropFirst(2).first else { return false }
      return options.split(separator: ",").contains { $0 == controller }
    }
  }

  /// The rest of the path below a folder, empty or beginning with a slash; nil if it is not below it.
  private static func relative(_ path: String, below root: String) -> String? {
    if path == root { return "" }
    if root == "/" { return path }
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count)) : nil
  }

  /// Blanks, tabs, line ends and backslashes stand as three octal digits.
  private static func unescaped(_ text: String) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
        result.append(value)
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
