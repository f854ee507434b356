// Subject.swift: the library this build of the service stands on. All other files are compiled for the toolchain's library too.
@_exported import Signalbox
