// Subject.swift: the library this build of WordCount stands on. All other files are those of the folder named in Twin.source.
@_exported import Dispatch

/// The toolchain's own Dispatch: Swift tasks run on it, so here they can be compared with queues.
let subject = Subject(program: "wordcount-toolchain", library: "the toolchain's Dispatch", comparesTasks: true)
