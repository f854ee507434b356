// swift-tools-version: 6.3
// What measures and shows Signalbox: `signalbox bench` and `signalbox lab`. A package beside Signalbox's own: built with the same
// `--scratch-path`, it takes the modules that are there and puts its programs beside the command.
import PackageDescription

/// A target compiled a second time, on the toolchain's libraries: its folder holds `Subject.swift` (which library) and
/// `Twin.source` (where the text comes from).
let twin: [Target.PluginUsage] = [.plugin(name: "TwinSource", package: "signalbox")]

/// The dependency that takes `name` from Signalbox's own package.
func signalbox(_ name: String) -> Target.Dependency { .product(name: name, package: "signalbox") }

/// The seam to the machine, the command line, `signalbox run`.
let internals = signalbox("_SignalboxInternals")

let package = Package(
  name: "signalbox-benchmarks",
  products: [.executable(name: "signalbox-workshop", targets: ["SignalboxWorkshop"])],
  dependencies: [.package(name: "signalbox", path: "..")],
  targets: [
    // A program of its own, because Foundation takes its time to load.
    .executableTarget(
      name: "SignalboxWorkshop",
      dependencies: [
        "SignalboxLab", "BenchRowsSignalbox", "BenchRowsToolchain", "LockRowsSignalbox", "LockRowsToolchain", "BenchSupport",
        "AllocationCounter", "InstructionCounter", internals,
      ], path: "Workshop"),
    .target(
      name: "SignalboxLab",
      dependencies: [
        "BenchSupport", signalbox("SignalboxArticles"), signalbox("SignalboxCNames"), signalbox("SignalboxFoundation"),
        internals,
      ],
      path: "Lab",
      exclude: ["README.md"]),

    // Rows, one text each on both libraries.
    .target(name: "BenchSupport", dependencies: [internals], path: "Support"),
    .target(name: "AllocationCounter", path: "AllocationCounter"),
    .target(name: "InstructionCounter", path: "InstructionCounter"),
    .target(name: "BenchRowsSignalbox", dependencies: ["BenchSupport", signalbox("Signalbox")], path: "RowsSignalbox"),
    .target(
      name: "BenchRowsToolchain", dependencies: ["BenchSupport"], path: "RowsToolchain", exclude: ["Twin.source"],
      plugins: twin),
    // Apart from the other rows: beside Foundation's names, Dispatch's would be ambiguous.
    .target(
      name: "LockRowsSignalbox", dependencies: ["BenchSupport", signalbox("SignalboxFoundation")], path: "LockRowsSignalbox"),
    .target(
      name: "LockRowsToolchain", dependencies: ["BenchSupport"], path: "LockRowsToolchain", exclude: ["Twin.source"],
      plugins: twin),

    // Timed programs, unaware of Signalbox; `signalbox bench --unmodified` runs them on both libraries.
    .executableTarget(name: "BenchProgramSwift", path: "Unmodified/Swift"),
    // Items of one class timed beside work of another; Scripts/measure-classes runs it on both libraries.
    .executableTarget(name: "BenchClasses", path: "Classes"),
    .executableTarget(
      name: "BenchProgramC", path: "Unmodified/C", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: [.linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime")]),

    // A server under load, unaware of Signalbox, and what loads it; Scripts/measure-server runs them on both libraries.
    .executableTarget(name: "BenchServer", path: "Unmodified/Server"),
    .executableTarget(name: "BenchLoad", path: "Unmodified/Load"),

    .testTarget(
      name: "BenchTests", dependencies: ["BenchSupport", "LockRowsSignalbox", "LockRowsToolchain", internals],
      path: "Tests/BenchTests"),
    // Runs the built workshop.
    .testTarget(
      name: "SignalboxLabTests",
      dependencies: ["SignalboxLab", "SignalboxWorkshop", internals, signalbox("_SignalboxTestSupport")],
      path: "Tests/SignalboxLabTests"),
  ],
  swiftLanguageModes: [.v6]
)
