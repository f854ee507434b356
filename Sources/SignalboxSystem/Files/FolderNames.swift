// FolderNames.swift: what lies in a folder. What a file is, is Files.swift.
import Glibc

extension Files {
  /// The names in a folder, in no order, `.` and `..` left out.
  public static func names(in folder: RawString) throws(SystemError) -> [String] {
    guard let list = folder.withCString({ opendir($0) }) else { throw SystemError(call: "opendir", code: errno) }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      // SAFETY: `d_name` is a C string inside the entry, which stays until the next readdir.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
