// swift-tools-version: 6.3
// Signalbox: Apple's concurrency stack for Linux. Folder = module = layer; an edge that is not listed here does not exist
// (Scripts/check-edges compares this file, the sources' imports and ARCHITECTURE.md's table).
import PackageDescription

/// A target compiled twice, from the same sources: once on Signalbox, once on the toolchain's own Dispatch.
/// The second folder holds `Subject.swift` (which library) and `Twin.source` (where the text comes from).
let twin: [Target.PluginUsage] = ["TwinSource"]

/// What a program in C or C++ with blocks is linked with.
let libdispatch: [LinkerSetting] = [.linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime")]

let package = Package(
  name: "signalbox",
  products: [
    .library(name: "Signalbox", targets: ["Signalbox"]),
    .library(name: "SignalboxFoundation", targets: ["SignalboxFoundation"]),
    .library(name: "SignalboxCNames", targets: ["SignalboxCNames"]),
    .library(name: "SignalboxDispatch", targets: ["SignalboxDispatch"]),
    .library(name: "SignalboxLocks", targets: ["SignalboxLocks"]),
    .library(name: "SignalboxABI", type: .dynamic, targets: ["SignalboxABI"]),
    .library(name: "SignalboxExplorePreload", type: .dynamic, targets: ["CSignalboxExplorePreload"]),
    .executable(name: "signalbox", targets: ["SignalboxTool"]),
    .executable(name: "signalbox-workshop", targets: ["SignalboxWorkshop"]),
    .executable(name: "wordcount-signalbox", targets: ["WordCountSignalbox"]),
    .executable(name: "wordcount-toolchain", targets: ["WordCountToolchain"]),
    .executable(name: "fetcher-signalbox", targets: ["FetcherSignalbox"]),
    .executable(name: "fetcher-toolchain", targets: ["FetcherToolchain"]),
  ],
  traits: [
    .trait(name: "Explore", description: "Instruments the seam's atomics and parking for schedule exploration (tests only).")
  ],
  targets: [
    .plugin(name: "TwinSource", capability: .buildTool()),

    // The house, bottom up.
    .target(name: "CSignalbox"),
    .target(name: "SignalboxSystem", dependencies: ["CSignalbox"], exclude: ["README.md"]),
    .target(
      name: "SignalboxDiagnosis", dependencies: ["CSignalbox", "SignalboxSystem"],
      exclude: ["README.md", "LockOrder/README.md", "Stalls/README.md"]),
    .target(name: "SignalboxLocks", dependencies: ["SignalboxSystem", "SignalboxDiagnosis"], exclude: ["README.md"]),
    .target(
      name: "SignalboxDispatch", dependencies: ["SignalboxSystem", "SignalboxDiagnosis", "SignalboxLocks"],
      exclude: [
        "README.md", "Data/README.md", "Events/README.md", "Groups/README.md", "IO/README.md", "Queues/README.md",
        "Sources/KINDS.md", "Sources/README.md", "Time/README.md", "Workers/README.md",
      ]),
    .target(name: "SignalboxCNames", dependencies: ["SignalboxDispatch", "SignalboxLocks"]),
    // libdispatch's C ABI; its symbols never become part of a program that merely links Signalbox.
    .target(name: "CSignalboxABI", linkerSettings: [.linkedLibrary("BlocksRuntime")]),
    .target(
      name: "SignalboxABI",
      dependencies: ["CSignalboxABI", "SignalboxSystem", "SignalboxDiagnosis", "SignalboxLocks", "SignalboxDispatch"],
      exclude: ["README.md"]),
    .target(
      name: "Signalbox", dependencies: ["SignalboxSystem", "SignalboxDiagnosis", "SignalboxLocks", "SignalboxDispatch"],
      exclude: ["README.md", "Collections/README.md", "Patterns/README.md"]),
    .target(
      name: "SignalboxClasses",
      dependencies: ["Signalbox", "SignalboxDispatch", "SignalboxLocks", "SignalboxSystem", "SignalboxDiagnosis"],
      exclude: ["Bridges/README.md", "Notifications/README.md", "Operations/README.md", "Threads/README.md"]),
    .target(name: "SignalboxFoundation", dependencies: ["Signalbox", "SignalboxClasses"], exclude: ["README.md"]),
    .target(
      name: "SignalboxLab",
      dependencies: ["BenchSupport", "Signalbox", "SignalboxCNames", "SignalboxFoundation", "SignalboxSystem"],
      exclude: ["README.md"]),
    .target(name: "SignalboxLaunch", dependencies: ["SignalboxSystem"], exclude: ["README.md"]),
    // The explorer: its control core, the library that `signalbox explore` preloads, and what the command does with both.
    .target(name: "CSignalboxExplore", exclude: ["README.md"]),
    .target(name: "CSignalboxExplorePreload", dependencies: ["CSignalboxExplore"], exclude: ["README.md"]),
    .target(
      name: "SignalboxExplorer", dependencies: ["BenchSupport", "CSignalboxExplore", "SignalboxLaunch", "SignalboxSystem"],
      exclude: ["README.md"]),
    .executableTarget(name: "ExploreProbe", path: "Tests/Probes/Explore"),
    .testTarget(
      name: "SignalboxExplorerTests",
      dependencies: [
        "CSignalboxExplore", "ExploreProbe", "SignalboxExplorer", "SignalboxLaunch", "SignalboxSystem", "SignalboxTool",
      ]),
    // SignalboxWorkshop is built with the command, not linked into it.
    .executableTarget(
      name: "SignalboxTool", dependencies: ["SignalboxExplorer", "SignalboxLaunch", "BenchSupport", "SignalboxWorkshop"]),
    // `signalbox bench` and `lab`: a program of its own, because Foundation takes its time to load.
    .executableTarget(
      name: "SignalboxWorkshop",
      dependencies: [
        "SignalboxLab", "SignalboxLaunch", "BenchRowsSignalbox", "BenchRowsToolchain", "LockRowsSignalbox",
        "LockRowsToolchain", "BenchSupport", "AllocationCounter",
      ]),

    // One source each, on both libraries.
    .target(name: "BenchSupport", path: "Benchmarks/Support"),
    .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter"),
    .target(name: "BenchRowsSignalbox", dependencies: ["Signalbox", "BenchSupport"], path: "Benchmarks/RowsSignalbox"),
    .target(
      name: "BenchRowsToolchain", dependencies: ["BenchSupport"], path: "Benchmarks/RowsToolchain",
      exclude: ["Twin.source"], plugins: twin),
    // Apart from the other rows: beside Foundation's names, Dispatch's would be ambiguous.
    .target(
      name: "LockRowsSignalbox", dependencies: ["SignalboxFoundation", "BenchSupport"], path: "Benchmarks/LockRowsSignalbox"),
    .target(
      name: "LockRowsToolchain", dependencies: ["BenchSupport"], path: "Benchmarks/LockRowsToolchain",
      exclude: ["Twin.source"], plugins: twin),
    .executableTarget(name: "WordCountSignalbox", dependencies: ["Signalbox"], path: "Examples/WordCount/Signalbox"),
    .executableTarget(
      name: "WordCountToolchain", path: "Examples/WordCount/Toolchain", exclude: ["Twin.source"], plugins: twin),
    .executableTarget(
      name: "FetcherSignalbox", dependencies: ["SignalboxFoundation"], path: "Examples/Fetcher/Signalbox"),
    .executableTarget(
      name: "FetcherToolchain", path: "Examples/Fetcher/Toolchain", exclude: ["Twin.source"], plugins: twin),
    .executableTarget(name: "MainProbeSignalbox", dependencies: ["Signalbox"], path: "Tests/Probes/MainSignalbox"),
    .executableTarget(
      name: "MainProbeToolchain", path: "Tests/Probes/MainToolchain", exclude: ["Twin.source"], plugins: twin),
    .executableTarget(
      name: "CMisuseProbe", path: "Tests/Probes/CMisuse", cSettings: [.headerSearchPath("../../Programs/Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "CStallProbe", path: "Tests/Probes/CStalls", cSettings: [.headerSearchPath("../../Programs/Headers")],
      linkerSettings: libdispatch),
    .executableTarget(name: "ReportProbe", path: "Tests/Probes/Reports"),

    // Timed programs, unaware of Signalbox; `signalbox bench --unmodified` runs them on both libraries.
    .executableTarget(name: "BenchProgramSwift", path: "Benchmarks/Unmodified/Swift"),
    .executableTarget(
      name: "BenchProgramC", path: "Benchmarks/Unmodified/C", cSettings: [.headerSearchPath("../../../Tests/Programs/Headers")],
      linkerSettings: libdispatch),
    .executableTarget(name: "OperationGraphProbe", dependencies: ["SignalboxFoundation"], path: "Tests/Probes/OperationGraphs"),
    .target(name: "HostWork", dependencies: ["Signalbox", "SignalboxSystem"], path: "Tests/Probes/HostWork"),
    .executableTarget(name: "HostPlain", dependencies: ["HostWork"], path: "Tests/Probes/HostPlain"),
    .executableTarget(name: "HostAsync", dependencies: ["HostWork"], path: "Tests/Probes/HostAsync"),
    .target(name: "LoopRows", dependencies: ["SignalboxFoundation", "SignalboxSystem"], path: "Tests/Probes/LoopRows"),
    .executableTarget(
      name: "LoopProbe", dependencies: ["HostWork", "LoopRows", "SignalboxFoundation"], path: "Tests/Probes/LoopProbe"),

    // Programs as others write them, unaware of Signalbox; Scripts/check-programs runs them on both libraries.
    .executableTarget(name: "ProgramTasks", path: "Tests/Programs/Tasks"),
    .executableTarget(name: "ProgramQueues", path: "Tests/Programs/Queues"),
    .executableTarget(
      name: "ProgramCInterface", path: "Tests/Programs/CInterface", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramLeftovers", path: "Tests/Programs/Leftovers", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramCObjects", path: "Tests/Programs/CObjects", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramCLifetimes", path: "Tests/Programs/CLifetimes", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramCExtras", path: "Tests/Programs/CExtras", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramCData", path: "Tests/Programs/CData", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramCChannels", path: "Tests/Programs/CChannels", cSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),
    .executableTarget(
      name: "ProgramThrows", path: "Tests/Programs/Throws", cxxSettings: [.headerSearchPath("../Headers")],
      linkerSettings: libdispatch),

    // The same with Foundation, and an echo server with its client and the least that could take its place;
    // Scripts/check-toolchain runs them, and the toolchain's own programs.
    .target(name: "ProgramSupport", path: "Tests/Programs/Support"),
    .executableTarget(name: "ProgramRunLoops", dependencies: ["ProgramSupport"], path: "Tests/Programs/RunLoops"),
    .executableTarget(name: "ProgramChildren", dependencies: ["ProgramSupport"], path: "Tests/Programs/Children"),
    .executableTarget(name: "ProgramFetch", dependencies: ["ProgramSupport"], path: "Tests/Programs/Fetch"),
    .executableTarget(name: "ProgramHandles", dependencies: ["ProgramSupport"], path: "Tests/Programs/Handles"),
    .executableTarget(name: "ProgramEchoServer", dependencies: ["ProgramSupport"], path: "Tests/Programs/EchoServer"),
    .executableTarget(name: "ProgramEchoClient", path: "Tests/Programs/EchoClient"),
    .executableTarget(name: "ProgramEchoFloor", path: "Tests/Programs/EchoFloor"),

    // Random sequences of calls on sources, timers, channels and data; Scripts/long-run builds the program with libFuzzer.
    .target(
      name: "EventPlays", dependencies: ["Signalbox", "SignalboxDispatch", "SignalboxCNames", "SignalboxSystem"],
      path: "Tests/Fuzz/Events"),
    .executableTarget(name: "EventFuzzer", dependencies: ["EventPlays"], path: "Tests/Fuzz/Fuzzer"),

    // Tests mirror the sources; Conformance runs one text on both libraries.
    .testTarget(name: "SignalboxSystemTests", dependencies: ["SignalboxSystem"]),
    .testTarget(
      name: "SignalboxDiagnosisTests",
      dependencies: [
        "SignalboxDispatch", "SignalboxLocks", "SignalboxDiagnosis", "Signalbox", "SignalboxSystem", "SignalboxTool",
      ]),
    .testTarget(name: "SignalboxLocksTests", dependencies: ["SignalboxLocks", "SignalboxDiagnosis", "SignalboxSystem"]),
    .testTarget(
      name: "SignalboxDispatchTests", dependencies: ["EventPlays", "Signalbox", "SignalboxDispatch", "SignalboxSystem"]),
    .testTarget(name: "SignalboxTests", dependencies: ["Signalbox", "SignalboxSystem"]),
    .testTarget(name: "SignalboxCNamesTests", dependencies: ["SignalboxCNames"]),
    .testTarget(name: "ConformanceSignalbox", dependencies: ["Signalbox"], path: "Tests/Conformance/Signalbox"),
    .testTarget(
      name: "ConformanceToolchain", path: "Tests/Conformance/Toolchain", exclude: ["Twin.source"], plugins: twin),
    .testTarget(
      name: "Swift5Tests", dependencies: ["SignalboxFoundation"], path: "Tests/Swift5",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "OneImportTests", dependencies: ["SignalboxFoundation"], path: "Tests/OneImport"),
    .testTarget(
      name: "FoundationConformanceSignalbox", dependencies: ["SignalboxFoundation", "SignalboxSystem"],
      path: "Tests/FoundationConformance/Signalbox", exclude: ["Twin.source"], plugins: twin),
    .testTarget(
      name: "FoundationConformanceToolchain", path: "Tests/FoundationConformance/Toolchain", exclude: ["Twin.source"],
      plugins: twin),
    .testTarget(
      name: "MainQueueTests",
      dependencies: [
        "MainProbeSignalbox", "MainProbeToolchain", "HostPlain", "HostAsync", "HostWork", "LoopProbe", "LoopRows",
        "SignalboxTool",
      ],
      path: "Tests/MainQueue"),
    .testTarget(
      name: "SignalboxToolTests",
      dependencies: ["BenchSupport", "LockRowsSignalbox", "LockRowsToolchain", "SignalboxLaunch", "SignalboxSystem"]),
    // Runs the built library and command, and the C programs; a test cannot depend on those.
    .testTarget(name: "SignalboxABITests", dependencies: ["BenchSupport", "SignalboxLaunch", "SignalboxSystem"]),
    .testTarget(
      name: "SignalboxLabTests", dependencies: ["SignalboxLab", "SignalboxSystem", "SignalboxTool", "SignalboxWorkshop"]),
    .testTarget(
      name: "SignalboxFoundationTests",
      dependencies: ["SignalboxClasses", "SignalboxFoundation", "SignalboxLocks", "SignalboxDiagnosis", "SignalboxSystem"]),
    .testTarget(name: "StressTests", dependencies: ["Signalbox", "SignalboxFoundation"], path: "Tests/Stress"),
  ],
  swiftLanguageModes: [.v6]
)
