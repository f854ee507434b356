// Subject.swift: the program of Tests/Frames, optimised and without debug information, on the toolchain's libraries. Its twin lies in
// ../FramesImported.
let subjectIsOurs = false
