// swift-tools-version: 6.3
// Signalbox: Apple's concurrency stack for Linux. Folder = module = layer; an edge that is not listed here does not exist
// (Scripts/check-edges compares this file, the sources' imports and Documentation/ROOMS.md). What measures, shows and
// exercises the product are packages of their own beside it: Benchmarks, Examples, Tests/Programs (programs, and tests
// that run them) and Tests/Random (random work) and Tests/Bodies (bodies of tests that are explored).
import PackageDescription

/// A target compiled twice, from the same sources: once on Signalbox, once on the toolchain's own Dispatch.
/// The second folder holds `Subject.swift` (which library) and `Twin.source` (where the text comes from).
let twin: [Target.PluginUsage] = ["TwinSource"]

/// What SIGNALBOX_TESTS names, with spaces between: these test targets alone, for sanitizers and the trait Explore. Unset, all.
let wantedTests = Context.environment["SIGNALBOX_TESTS"]?.split(separator: " ").map(String.init)

/// Scripts/build sets SIGNALBOX_LEAN for release builds. Every module is linked to the toolchain's library for regular expressions unless the
/// compiler is told otherwise; a program would load it before it starts, and the core uses nothing of it. SwiftPM has no setting for that, and
/// refuses flags of one's own in a package that others depend on: so a plain `swift build` has the link.
let core: [SwiftSetting] =
  Context.environment["SIGNALBOX_LEAN"] == nil
  ? [] : [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

let exportedByABI = "\(Context.packageDirectory)/Sources/SignalboxABI/exported.map"

let package = Package(
  name: "signalbox",
  products: [
    .library(name: "Signalbox", targets: ["Signalbox"]),
    .library(name: "SignalboxFoundation", targets: ["SignalboxFoundation"]),
    .library(name: "SignalboxArticles", targets: ["SignalboxArticles"]),
    // The diagnosis compiles beside the engine, the observers of its events behind it; it names neither, and each program has both.
    .library(name: "SignalboxCNames", targets: ["SignalboxCNames", "SignalboxDiagnosis", "SignalboxObservers"]),
    .library(name: "SignalboxDispatch", targets: ["SignalboxDispatch", "SignalboxDiagnosis", "SignalboxObservers"]),
    .library(name: "SignalboxLocks", targets: ["SignalboxLocks", "SignalboxDiagnosis"]),
    .library(name: "SignalboxExplore", targets: ["SignalboxExplore"]),
    .library(name: "SignalboxABI", type: .dynamic, targets: ["SignalboxABI"]),
    .library(name: "SignalboxExplorePreload", type: .dynamic, targets: ["CSignalboxExploreLibrary"]),
    .executable(name: "signalbox", targets: ["SignalboxTool"]),
    // For the packages beside this one alone: Benchmarks, Examples, Tests/Programs, Tests/Random and Tests/Bodies.
    .library(
      name: "_SignalboxInternals", targets: ["SignalboxCommandLine", "SignalboxLaunch", "SignalboxSystem", "SignalboxWords"]),
    .library(name: "_SignalboxTestSupport", targets: ["SignalboxTestSupport"]),
    .plugin(name: "TwinSource", targets: ["TwinSource"]),
  ],
  traits: [
    .trait(name: "Explore", description: "Instruments the seam's atomics and parking for schedule exploration (tests only).")
  ],
  targets: [
    .plugin(name: "TwinSource", capability: .buildTool()),

    // The house, bottom up.
    .target(name: "CSignalbox"),
    .target(name: "SignalboxWords", exclude: ["README.md"], swiftSettings: core),
    .target(
      name: "SignalboxSystem", dependencies: ["CSignalbox", "SignalboxWords"], exclude: ["README.md"], swiftSettings: core),
    .target(
      name: "SignalboxView", dependencies: ["CSignalbox", "SignalboxSystem", "SignalboxWords"], exclude: ["README.md"],
      swiftSettings: core),
    .target(
      name: "SignalboxRecorder", dependencies: ["SignalboxSystem", "SignalboxWords"], exclude: ["README.md"],
      swiftSettings: core),
    .target(
      name: "SignalboxWaits",
      dependencies: ["CSignalbox", "SignalboxSystem", "SignalboxView", "SignalboxWords"], exclude: ["README.md"],
      swiftSettings: core),
    .target(
      name: "SignalboxDiagnosis",
      dependencies: [
        "CSignalbox", "SignalboxRecorder", "SignalboxSystem", "SignalboxView", "SignalboxWaits", "SignalboxWords",
      ],
      exclude: ["README.md", "Inspection/README.md", "LockOrder/README.md", "Stalls/README.md"], swiftSettings: core),
    .target(
      name: "SignalboxLocks", dependencies: ["SignalboxSystem", "SignalboxWaits", "SignalboxWords"], exclude: ["README.md"],
      swiftSettings: core),
    .target(
      name: "SignalboxDispatch",
      dependencies: [
        "SignalboxSystem", "SignalboxWaits", "SignalboxLocks", "SignalboxView", "SignalboxWords",
      ],
      exclude: [
        "README.md", "Data/README.md", "Events/README.md", "Executors/README.md", "Groups/README.md", "IO/README.md",
        "Inspection/README.md", "Items/README.md", "Lists/README.md", "Queues/README.md",
        "Sources/KINDS.md", "Sources/README.md", "Time/README.md", "Values/README.md",
        "Workers/README.md",
      ], swiftSettings: core),
    // What observes the engine: one file for each subscriber of its events.
    .target(
      name: "SignalboxObservers",
      dependencies: [
        "SignalboxDispatch", "SignalboxRecorder", "SignalboxSystem", "SignalboxView", "SignalboxWaits", "SignalboxWords",
      ],
      exclude: ["README.md"], swiftSettings: core),
    // The names that Signalbox and SignalboxCNames pass on alike.
    .target(name: "SignalboxNames", dependencies: ["SignalboxDispatch"]),
    .target(name: "SignalboxCNames", dependencies: ["SignalboxDispatch", "SignalboxLocks", "SignalboxNames"]),
    // libdispatch's C ABI; its symbols never become part of a program that merely links Signalbox.
    .target(name: "CSignalboxABI", linkerSettings: [.linkedLibrary("BlocksRuntime")]),
    .target(
      name: "SignalboxABI",
      dependencies: [
        "CSignalboxABI", "SignalboxSystem", "SignalboxDiagnosis", "SignalboxLocks", "SignalboxDispatch", "SignalboxObservers",
      ],
      exclude: ["README.md", "exported.map"], swiftSettings: core,
      // What it exports. Part of that product alone, as with the explorer's library below.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--version-script=\(exportedByABI)"])]),
    .target(
      name: "Signalbox",
      dependencies: [
        "SignalboxSystem", "SignalboxRecorder", "SignalboxDiagnosis", "SignalboxLocks", "SignalboxDispatch",
        "SignalboxNames", "SignalboxObservers", "SignalboxWaits", "SignalboxWords",
      ],
      exclude: ["README.md", "Collections/README.md", "Patterns/README.md"]),
    .target(
      name: "SignalboxClasses",
      dependencies: [
        "SignalboxNames", "SignalboxDispatch", "SignalboxLocks", "SignalboxSystem", "SignalboxDiagnosis", "SignalboxWaits",
        "SignalboxWords",
      ],
      exclude: [
        "README.md", "Bridges/README.md", "Notifications/README.md", "Operations/README.md", "Threads/README.md",
      ]),
    .target(name: "SignalboxFoundation", dependencies: ["Signalbox", "SignalboxClasses"], exclude: ["README.md"]),
    // The shared collections of the articles, by their names.
    .target(name: "SignalboxArticles", dependencies: ["Signalbox"]),
    .target(name: "SignalboxLaunch", dependencies: ["SignalboxSystem"], exclude: ["README.md"]),
    .target(name: "SignalboxCommandLine", dependencies: ["SignalboxSystem"]),
    // Reads recordings: names, Perfetto's form, tables, pages for a browser.
    .target(
      name: "SignalboxTimeline",
      dependencies: ["SignalboxCommandLine", "SignalboxLaunch", "SignalboxRecorder", "SignalboxSystem", "SignalboxWords"],
      exclude: ["Page/README.md"],
      resources: [
        "details.js", "head.html", "page.css", "painter.js", "recording.js", "report.html", "report.js", "tables.js",
        "timeline.html", "timeline.js", "words.js",
      ].map { .embedInCode("Page/" + $0) }),
    // Inspects running processes: the command's side; the process's own is SignalboxDiagnosis/Inspection.
    .target(
      name: "SignalboxInspector",
      dependencies: ["SignalboxCommandLine", "SignalboxLaunch", "SignalboxSystem", "SignalboxView", "SignalboxWords"],
      exclude: ["README.md"]),
    // The explorer: its control core, the library that `signalbox explore` preloads, and what the command does with both.
    .target(name: "CSignalboxExplore", exclude: ["README.md"]),
    .target(
      name: "CSignalboxExplorePreload", dependencies: ["CSignalboxExplore"], exclude: ["README.md"],
      cSettings: [.headerSearchPath("../CSignalbox/Shared")]),
    // The library itself, in which nothing is of Swift's: without this setting it would load Swift's runtime into every program, and each
    // schedule of one in C would cost half as much again. Part of that product alone: a package that has others of this one's products may
    // be built with no such setting.
    .target(
      name: "CSignalboxExploreLibrary", dependencies: ["CSignalboxExplorePreload"],
      linkerSettings: [.unsafeFlags(["-enable-experimental-feature", "Embedded", "-wmo"])]),
    .target(
      name: "SignalboxExplorer",
      dependencies: ["CSignalboxExplore", "SignalboxCommandLine", "SignalboxLaunch", "SignalboxSystem", "SignalboxWords"],
      exclude: ["README.md"]),
    // The same in tests: bodies explored in their own process.
    .target(
      name: "CSignalboxExploreInside", dependencies: ["CSignalboxExplore", "CSignalboxExplorePreload"],
      cSettings: [
        .headerSearchPath("../CSignalboxExplore"), .headerSearchPath("../CSignalboxExplorePreload"),
        .define("SIGNALBOX_EXPLORE", .when(traits: ["Explore"])),
      ]),
    .target(
      name: "SignalboxExplore",
      dependencies: [
        "CSignalboxExplore", "CSignalboxExploreInside", "SignalboxDiagnosis", "SignalboxDispatch", "SignalboxExplorer",
        "SignalboxLocks", "SignalboxObservers", "SignalboxSystem", "SignalboxWaits", "SignalboxWords",
      ], exclude: ["README.md"]),
    .executableTarget(name: "ExploreProbe", path: "Tests/Probes/Explore"),
    .executableTarget(name: "ExploreCxxProbe", path: "Tests/Probes/ExploreCxx"),
    .testTarget(
      name: "SignalboxExplorerTests",
      dependencies: [
        "CSignalboxExplore", "ExploreCxxProbe", "ExploreProbe", "SignalboxExplorer", "SignalboxLaunch", "SignalboxSystem",
        "SignalboxTool", "SignalboxWords",
      ]),
    // Damaged input for all the command's readers: Scripts/fuzz-readers builds the program with libFuzzer.
    .executableTarget(
      name: "ReaderFuzzer",
      dependencies: [
        "CSignalboxExplore", "SignalboxCommandLine", "SignalboxExplorer", "SignalboxInspector", "SignalboxLaunch",
        "SignalboxRecorder", "SignalboxSystem", "SignalboxTimeline",
      ], path: "Tests/Readers/Fuzzer"),
    // The move of other packages. Its reader is a program that the machine's own toolchain compiles.
    .target(
      name: "SignalboxMigrate", dependencies: ["SignalboxCommandLine", "SignalboxLaunch", "SignalboxSystem"],
      exclude: ["README.md"], resources: [.embedInCode("Reading/SyntaxReader.source")]),
    // The demo: programs that the machine's own toolchain compiles, run on both libraries.
    .target(
      name: "SignalboxDemo", dependencies: ["SignalboxCommandLine", "SignalboxLaunch", "SignalboxSystem"],
      exclude: ["README.md"],
      resources: ["waits", "commands", "hang", "server", "race", "times"].map { .embedInCode("Programs/\($0).source") }),
    .executableTarget(
      name: "SignalboxTool",
      dependencies: [
        "SignalboxCommandLine", "SignalboxDemo", "SignalboxExplorer", "SignalboxInspector", "SignalboxLaunch",
        "SignalboxMigrate",
        "SignalboxSystem",
        "SignalboxTimeline",
      ]),
    .executableTarget(name: "InspectProbe", dependencies: ["Signalbox"], path: "Tests/Probes/Inspect"),
    .executableTarget(name: "HungProbe", path: "Tests/Probes/Hung"),
    .executableTarget(name: "HungOperations", path: "Tests/Probes/HungOperations"),
    .executableTarget(name: "WellProbe", path: "Tests/Probes/Well"),
    .executableTarget(name: "TaskProbe", path: "Tests/Probes/Tasks"),
    .executableTarget(name: "TaskFaults", path: "Tests/Probes/TaskFaults"),
    .executableTarget(name: "TaskPrograms", path: "Tests/Probes/TaskPrograms"),
    // The toolchain's own reader of tasks, which a test holds against ours.
    .target(name: "CRemoteMirror", path: "Tests/RemoteMirror"),
    .testTarget(
      name: "SignalboxInspectorTests",
      dependencies: [
        "CRemoteMirror", "CSignalbox", "HungOperations", "HungProbe", "InspectProbe", "Signalbox", "SignalboxCommandLine",
        "SignalboxDiagnosis", "SignalboxInspector", "SignalboxSystem", "SignalboxTestSupport", "SignalboxTool",
        "SignalboxView", "SignalboxWaits", "TaskFaults", "TaskPrograms", "TaskProbe", "WellProbe",
      ]),
    .executableTarget(name: "RecordProbe", dependencies: ["Signalbox", "SignalboxSystem"], path: "Tests/Probes/Record"),
    .executableTarget(
      name: "RecordLocksProbe", dependencies: ["SignalboxDiagnosis", "SignalboxLocks", "SignalboxSystem"],
      path: "Tests/Probes/RecordLocks"),
    .executableTarget(name: "RecordTasksProbe", path: "Tests/Probes/RecordTasks"),
    .executableTarget(
      name: "RecordActivityProbe", dependencies: ["SignalboxCNames", "SignalboxFoundation"], path: "Tests/Probes/RecordActivity"
    ),
    .testTarget(
      name: "SignalboxTimelineTests",
      dependencies: [
        "RecordActivityProbe", "RecordLocksProbe", "RecordProbe", "RecordTasksProbe", "SignalboxCommandLine",
        "SignalboxRecorder",
        "SignalboxSystem",
        "SignalboxTestSupport",
        "SignalboxTimeline",
        "SignalboxTool",
      ]),

    // How tests wait and expect, for those of the other packages as well.
    .target(name: "SignalboxTestSupport", path: "Tests/Support"),
    // Tests mirror the sources; Conformance runs one text on both libraries.
    .testTarget(name: "SignalboxViewTests", dependencies: ["SignalboxSystem", "SignalboxView", "SignalboxWords"]),
    .testTarget(name: "SignalboxWordsTests", dependencies: ["SignalboxTestSupport", "SignalboxWords"]),
    .testTarget(name: "SignalboxSystemTests", dependencies: ["SignalboxSystem", "SignalboxTestSupport"]),
    // Tasks that hang: on the toolchain's library, the same optimised, and with Signalbox.
    .executableTarget(name: "TaskDeadlocks", path: "Tests/Probes/TaskDeadlocks"),
    .executableTarget(
      name: "TaskDeadlocksOptimised", path: "Tests/Probes/TaskDeadlocksOptimised", exclude: ["Twin.source"],
      swiftSettings: [.unsafeFlags(["-O"])], plugins: twin),
    .executableTarget(
      name: "TaskDeadlocksImported", dependencies: ["SignalboxFoundation"], path: "Tests/Probes/TaskDeadlocksImported",
      exclude: ["Twin.source"], plugins: twin),
    .testTarget(
      name: "SignalboxDiagnosisTests",
      dependencies: [
        "CSignalbox", "SignalboxDispatch", "SignalboxLocks", "SignalboxDiagnosis", "Signalbox", "SignalboxSystem",
        "SignalboxTool", "SignalboxTestSupport", "SignalboxView", "SignalboxWaits", "TaskDeadlocks", "TaskDeadlocksImported",
        "TaskDeadlocksOptimised",
      ]),
    .testTarget(
      name: "SignalboxLocksTests",
      dependencies: ["SignalboxLocks", "SignalboxDiagnosis", "SignalboxSystem", "SignalboxTestSupport", "SignalboxWaits"]),
    .testTarget(
      name: "SignalboxDispatchTests",
      dependencies: [
        "Signalbox", "SignalboxDispatch", "SignalboxObservers", "SignalboxSystem", "SignalboxTestSupport", "SignalboxWaits",
        "SignalboxWords",
      ]),
    .testTarget(
      name: "SignalboxTests", dependencies: ["Signalbox", "SignalboxArticles", "SignalboxSystem", "SignalboxTestSupport"]),
    .testTarget(name: "SignalboxCNamesTests", dependencies: ["SignalboxCNames", "SignalboxTestSupport"]),
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
      name: "SignalboxLaunchTests",
      dependencies: ["SignalboxCommandLine", "SignalboxLaunch", "SignalboxSystem", "SignalboxTool"]),
    .testTarget(
      name: "SignalboxDemoTests",
      dependencies: ["SignalboxCommandLine", "SignalboxDemo", "SignalboxSystem", "SignalboxTestSupport", "SignalboxTool"]),
    .testTarget(
      name: "SignalboxMigrateTests",
      dependencies: ["SignalboxCommandLine", "SignalboxMigrate", "SignalboxSystem", "SignalboxTool"]),
    .testTarget(
      name: "SignalboxFoundationTests",
      dependencies: [
        "SignalboxArticles", "SignalboxClasses", "SignalboxFoundation", "SignalboxDispatch", "SignalboxLocks",
        "SignalboxDiagnosis", "SignalboxSystem", "SignalboxTestSupport", "SignalboxWaits", "SignalboxWords",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx20
)

if let wantedTests { package.targets.removeAll { $0.type == .test && !wantedTests.contains($0.name) } }
