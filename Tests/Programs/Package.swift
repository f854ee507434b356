// swift-tools-version: 6.3
// Programs, and the tests that run them in processes of their own. A package beside Signalbox's own: built with the same
// `--scratch-path`, it takes the modules that are there and finds the command and the library beside its programs.
import PackageDescription

/// The one who takes `name` from Signalbox's own package.
func signalbox(_ name: String) -> Target.Dependency { .product(name: name, package: "signalbox") }

/// The seam to the machine, the command line, `signalbox run`.
let internals = signalbox("_SignalboxInternals")

/// A program in C or C++ with blocks, unaware of Signalbox.
func programInC(_ name: String, _ path: String) -> Target {
  let headers = path.split(separator: "/").map { _ in "../" }.joined() + "Headers"
  return .executableTarget(
    name: name, path: path, cSettings: [.headerSearchPath(headers)], cxxSettings: [.headerSearchPath(headers)],
    linkerSettings: [.linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime")])
}

/// The program of Scripts/check-frames as its rows `O` have it: optimised, without debug information.
func framesProbe(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, exclude: ["Twin.source"],
    swiftSettings: settings + [.unsafeFlags(["-O", "-gnone"])], plugins: [.plugin(name: "TwinSource", package: "signalbox")])
}

let package = Package(
  name: "signalbox-programs",
  dependencies: [.package(name: "signalbox", path: "../..")],
  targets: [
    // Programs as others write them; Scripts/check-programs runs them on both libraries.
    .executableTarget(name: "ProgramTasks", path: "Tasks"),
    .executableTarget(name: "ProgramQueues", path: "Queues"),
    programInC("ProgramCInterface", "CInterface"),
    programInC("ProgramLeftovers", "Leftovers"),
    programInC("ProgramCObjects", "CObjects"),
    programInC("ProgramCLifetimes", "CLifetimes"),
    programInC("ProgramCExtras", "CExtras"),
    programInC("ProgramCData", "CData"),
    programInC("ProgramCChannels", "CChannels"),
    programInC("ProgramThrows", "Throws"),

    // The same with Foundation, and an echo server with its client and the least that could take its place;
    // Scripts/check-toolchain runs them, and the toolchain's own programs.
    .target(name: "ProgramSupport", path: "Support"),
    .executableTarget(name: "ProgramRunLoops", dependencies: ["ProgramSupport"], path: "RunLoops"),
    .executableTarget(name: "ProgramChildren", dependencies: ["ProgramSupport"], path: "Children"),
    .executableTarget(name: "ProgramFetch", dependencies: ["ProgramSupport"], path: "Fetch"),
    .executableTarget(name: "ProgramHandles", dependencies: ["ProgramSupport"], path: "Handles"),
    .executableTarget(name: "ProgramEchoServer", dependencies: ["ProgramSupport"], path: "EchoServer"),
    .executableTarget(name: "ProgramEchoClient", path: "EchoClient"),
    .executableTarget(name: "ProgramEchoFloor", path: "EchoFloor"),

    // The main queue and run loops need a main thread of their own.
    .executableTarget(name: "MainProbeSignalbox", dependencies: [signalbox("Signalbox")], path: "Probes/MainSignalbox"),
    .executableTarget(
      name: "MainProbeToolchain", path: "Probes/MainToolchain", exclude: ["Twin.source"],
      plugins: [.plugin(name: "TwinSource", package: "signalbox")]),
    .target(name: "HostWork", dependencies: [signalbox("Signalbox"), internals], path: "Probes/HostWork"),
    .executableTarget(name: "HostPlain", dependencies: ["HostWork"], path: "Probes/HostPlain"),
    .executableTarget(name: "HostAsync", dependencies: ["HostWork"], path: "Probes/HostAsync"),
    // No test depends on it: its object in a test's program would hide the other library from all tests.
    .executableTarget(
      name: "HostAlone", dependencies: [signalbox("Signalbox")], path: "Probes/HostAlone",
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),  // what it defines is found by its name
    .target(name: "LoopRows", dependencies: [signalbox("SignalboxFoundation"), internals], path: "Probes/LoopRows"),
    .executableTarget(
      name: "LoopProbe", dependencies: ["HostWork", "LoopRows", signalbox("SignalboxFoundation")], path: "Probes/LoopProbe"),
    .executableTarget(
      name: "LoopAsync", dependencies: [signalbox("SignalboxFoundation"), internals], path: "Probes/LoopAsync"),
    .testTarget(
      name: "MainQueueTests",
      dependencies: [
        "MainProbeSignalbox", "MainProbeToolchain", "HostPlain", "HostAsync", "HostWork", "LoopAsync", "LoopProbe",
        "LoopRows", signalbox("_SignalboxTestSupport"),
      ], path: "Tests/MainQueueTests"),

    // Misuse, stalls and reports through the C face, under `signalbox run`.
    programInC("CMisuseProbe", "Probes/CMisuse"),
    programInC("CStallProbe", "Probes/CStalls"),
    .executableTarget(name: "ReportProbe", path: "Probes/Reports"),
    framesProbe("FramesProbe", "Probes/Frames"),
    framesProbe("FramesImportedProbe", "Probes/FramesImported", [signalbox("SignalboxFoundation")], [.define("IMPORTED")]),
    .testTarget(
      name: "SignalboxABITests",
      dependencies: [
        "CMisuseProbe", "CStallProbe", "ReportProbe", "FramesProbe", "FramesImportedProbe", internals,
        signalbox("_SignalboxTestSupport"),
      ],
      path: "Tests/SignalboxABITests"),

    // The sanitizer's cases on our library, imported: of use if built with it (Scripts/check-sanitizer --imported).
    .executableTarget(
      name: "SanitizedProgram", dependencies: [signalbox("SignalboxFoundation")], path: "Probes/Sanitized",
      exclude: ["Twin.source"], plugins: [.plugin(name: "TwinSource", package: "signalbox")]),

    // Operations on a heap that keeps freed memory closed.
    .executableTarget(
      name: "OperationGraphProbe", dependencies: [signalbox("SignalboxFoundation")], path: "Probes/OperationGraphs"),
    .testTarget(
      name: "OperationMemoryTests", dependencies: ["OperationGraphProbe", internals], path: "Tests/OperationMemoryTests"),
  ],
  swiftLanguageModes: [.v6]
)
