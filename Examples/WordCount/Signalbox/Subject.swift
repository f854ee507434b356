// Subject.swift: the library this build of WordCount stands on. All other files are compiled for the toolchain's library too.
@_exported import Signalbox

/// Signalbox, linked in: Swift tasks stay on the toolchain's library, so there is nothing to compare here.
let subject = Subject(program: "wordcount-signalbox", library: "Signalbox", comparesTasks: false)
