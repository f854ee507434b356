// swift-tools-version: 6.3
// The examples: one text each, on Signalbox and on the toolchain's libraries, and what only Signalbox has: exporters of
// figures and of tasks, and a server that writes its tasks when a signal asks. A package beside Signalbox's own;
// Scripts/wordcount-compare and Scripts/fetcher-compare run WordCount and Fetcher side by side. SlowService has planted
// faults, which the documentation finds.
import PackageDescription

/// A target compiled a second time, on the toolchain's libraries: its folder holds `Subject.swift` (which library) and
/// `Twin.source` (where the text comes from).
let twin: [Target.PluginUsage] = [.plugin(name: "TwinSource", package: "signalbox")]

let package = Package(
  name: "signalbox-examples",
  products: [
    .executable(name: "wordcount-signalbox", targets: ["WordCountSignalbox"]),
    .executable(name: "wordcount-toolchain", targets: ["WordCountToolchain"]),
    .executable(name: "fetcher-signalbox", targets: ["FetcherSignalbox"]),
    .executable(name: "fetcher-toolchain", targets: ["FetcherToolchain"]),
    .executable(name: "figures-service", targets: ["FiguresService"]),
    .executable(name: "slow-service", targets: ["SlowServiceToolchain"]),
    .executable(name: "slow-service-signalbox", targets: ["SlowServiceSignalbox"]),
    .executable(name: "task-server", targets: ["TaskServer"]),
  ],
  dependencies: [.package(name: "signalbox", path: "..")],
  targets: [
    .executableTarget(
      name: "WordCountSignalbox", dependencies: [.product(name: "Signalbox", package: "signalbox")],
      path: "WordCount/Signalbox"),
    .executableTarget(
      name: "WordCountToolchain", path: "WordCount/Toolchain", exclude: ["Twin.source"], plugins: twin),
    .executableTarget(
      name: "FetcherSignalbox", dependencies: [.product(name: "SignalboxFoundation", package: "signalbox")],
      path: "Fetcher/Signalbox"),
    .executableTarget(
      name: "FetcherToolchain", path: "Fetcher/Toolchain", exclude: ["Twin.source"], plugins: twin),
    .target(
      name: "Exporters", dependencies: [.product(name: "Signalbox", package: "signalbox")], path: "Exporters/Exporters"),
    .executableTarget(
      name: "FiguresService", dependencies: ["Exporters", .product(name: "Signalbox", package: "signalbox")],
      path: "Exporters/Service"),
    .executableTarget(
      name: "SlowServiceSignalbox", dependencies: [.product(name: "Signalbox", package: "signalbox")],
      path: "SlowService/Signalbox"),
    .executableTarget(
      name: "SlowServiceToolchain", path: "SlowService/Toolchain", exclude: ["Twin.source"], plugins: twin),
    .executableTarget(
      name: "TaskServer", dependencies: [.product(name: "Signalbox", package: "signalbox")], path: "TaskServer"),
    .testTarget(
      name: "ExporterTests", dependencies: ["Exporters", .product(name: "Signalbox", package: "signalbox")],
      path: "Tests/ExporterTests"),
    .testTarget(
      name: "SlowServiceTests",
      dependencies: [
        .product(name: "_SignalboxInternals", package: "signalbox"),
        .product(name: "_SignalboxTestSupport", package: "signalbox"),
      ],
      path: "Tests/SlowServiceTests"),
    // Runs the built server.
    .testTarget(
      name: "TaskServerTests", dependencies: ["TaskServer", .product(name: "_SignalboxInternals", package: "signalbox")],
      path: "Tests/TaskServerTests"),
  ],
  swiftLanguageModes: [.v6]
)
