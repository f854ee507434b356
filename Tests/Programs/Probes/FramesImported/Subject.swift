// Subject.swift: the program of Tests/Frames, optimised and without debug information, with Signalbox in it. Its twin lies in ../Frames.
let subjectIsOurs = true
