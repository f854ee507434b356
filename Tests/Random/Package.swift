// swift-tools-version: 6.3
// Random work: sequences of calls that must keep every promise, with fixed seeds as tests, with libFuzzer's bytes as a program. A
// package beside Signalbox's own, so that a sanitized build compiles no other tests.
import PackageDescription

/// The one who takes `name` from Signalbox's own package.
func signalbox(_ name: String) -> Target.Dependency { .product(name: name, package: "signalbox") }

let package = Package(
  name: "signalbox-random",
  dependencies: [.package(name: "signalbox", path: "../..")],
  targets: [
    // Sources, timers, channels and data; Scripts/long-run builds the program with libFuzzer.
    .target(
      name: "EventPlays",
      dependencies: [
        signalbox("Signalbox"), signalbox("SignalboxDispatch"), signalbox("SignalboxCNames"), signalbox("_SignalboxInternals"),
      ], path: "Events"),
    .executableTarget(name: "EventFuzzer", dependencies: ["EventPlays"], path: "Fuzzer"),
    .testTarget(name: "EventPlayTests", dependencies: ["EventPlays"], path: "EventPlayTests"),
    // Queues, groups, locks, operations and threads.
    .testTarget(
      name: "StressTests",
      dependencies: [
        "EventPlays", signalbox("Signalbox"), signalbox("SignalboxFoundation"), signalbox("_SignalboxTestSupport"),
      ],
      path: "StressTests"),
  ],
  swiftLanguageModes: [.v6]
)
