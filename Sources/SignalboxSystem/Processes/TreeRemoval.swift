// TreeRemoval.swift: the removal of a folder with all that lies in it, by the system's own program.

extension Files {
  /// Removes a folder and all that lies in it.
  public static func removeTree(_ path: RawString) {
    // What cannot be removed stays: it is in a folder for such things.
    _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", "--", path], environment: [], seconds: 60)
  }
}
