// Console.swift: what people see: the report on standard output, complaints and progress on standard error.

enum Console {
  static func complain(_ text: String) { FileHandle.standardError.write(Data("\(subject.program): \(text)\n".utf8)) }

  static func put(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
