// Face.swift: whose engine runs the text. Subject.swift says which module gave the names; behind the toolchain's module there
// may be the toolchain's library, or by intent ours, in its place (Scripts/check-c-face).
import Glibc

/// The variable that says that the toolchain's module is meant to run on our library: its value is "c" then.
let faceVariable = "SIGNALBOX_CONFORMANCE_FACE"

/// Its value.
let wantedFace: String? = getenv(faceVariable).map { String(cString: $0) }

/// Whether the text runs on our library through the toolchain's module and the C interface between them.
let subjectIsCFace = !subjectIsOurs && wantedFace == "c"

/// Whether our engine is at work, whichever face is in front of it.
let engineIsOurs = subjectIsOurs || subjectIsCFace
