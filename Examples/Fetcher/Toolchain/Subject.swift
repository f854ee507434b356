// Subject.swift: the library this build of Fetcher stands on. All other files are those of the folder named in Twin.source.
@_exported import Foundation

/// The toolchain's own Foundation and Dispatch.
let subject = Subject(program: "fetcher-toolchain", library: "the toolchain's Foundation")
