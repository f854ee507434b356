// Plan.swift: what a move does to a package's files, and what it leaves to a person.

/// One change: these bytes become that text.
struct Edit: Sendable, Equatable {
  var range: Range<Int>
  var new: String
}

/// The changes of a file.
struct FileEdits: Sendable {
  var source: Source
  /// In order, none overlapping another.
  var edits: [Edit]

  /// The file with the changes.
  var result: [UInt8] {
    var bytes: [UInt8] = [], place = 0
    for edit in edits {
      bytes += source.bytes[place..<edit.range.lowerBound] + Array(edit.new.utf8)
      place = edit.range.upperBound
    }
    return bytes + source.bytes[place...]
  }
}

/// A file that is added.
struct NewFile: Sendable, Equatable {
  var path: String
  var text: String
}

/// What a person must decide.
struct Decision: Sendable, Equatable {
  /// One word, for programs that read the list.
  enum Kind: String, Sendable {
    case session, override, shown, dependency, generated, file, syntax, platform, module, name, c, manifest, tool
  }
  var kind: Kind
  var path: String
  /// 0 where the whole file is meant.
  var line: Int
  var text: String
}

/// What a move does.
struct Plan: Sendable {
  var files: [FileEdits] = []
  var new: [NewFile] = []
  var decisions: [Decision] = []
  /// Targets with the products that they get.
  var products: [(target: String, products: [String])] = []

  var isEmpty: Bool { files.isEmpty && new.isEmpty }
}
