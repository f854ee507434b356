// swift-tools-version: 6.3
// Bodies of tests that are explored. A package beside Signalbox's own, because a program that explores has the explorer's functions in
// place of the C library's, and other tests are to find the latter.
import PackageDescription

/// The one who takes `name` from Signalbox's own package.
func signalbox(_ name: String) -> Target.Dependency { .product(name: name, package: "signalbox") }

let twin: [Target.PluginUsage] = [.plugin(name: "TwinSource", package: "signalbox")]

let package = Package(
  name: "signalbox-bodies",
  dependencies: [.package(name: "signalbox", path: "../..")],
  targets: [
    .target(name: "ExploredShapes", dependencies: [signalbox("SignalboxFoundation")], path: "Shapes"),
    .testTarget(
      name: "ExploreTests",
      dependencies: [
        "ExploredShapes", signalbox("SignalboxExplore"), signalbox("SignalboxFoundation"), signalbox("_SignalboxInternals"),
      ],
      path: "Tests"),
    // The conformance text a third time: in virtual time, where a delay is to the millisecond and nothing sleeps.
    .testTarget(
      name: "VirtualConformance",
      dependencies: [signalbox("Signalbox"), signalbox("SignalboxExplore"), signalbox("_SignalboxInternals")],
      path: "Virtual/Dispatch", exclude: ["Twin.source"], plugins: twin),
    .testTarget(
      name: "VirtualFoundationConformance",
      dependencies: [signalbox("SignalboxFoundation"), signalbox("SignalboxExplore"), signalbox("_SignalboxInternals")],
      path: "Virtual/Foundation", exclude: ["Twin.source"], plugins: twin),
    // How many schedules a second; run by hand.
    .executableTarget(
      name: "ExploreRate",
      dependencies: [
        "ExploredShapes", signalbox("SignalboxExplore"), signalbox("SignalboxFoundation"), signalbox("_SignalboxInternals"),
      ],
      path: "Rate"),
  ],
  swiftLanguageModes: [.v6]
)
