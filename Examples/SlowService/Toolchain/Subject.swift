// Subject.swift: the library this build of the service stands on. All other files are those of the folder named in Twin.source.
@_exported import Dispatch
