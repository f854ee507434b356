// swift-tools-version: 6.3
// Bodies of tests that are explored. A package beside Signalbox's own, because a program that explores has the explorer's functions in
// place of the C library's, and other tests are to find the latter.
import PackageDescription

/// The one who takes `name` from Signalbox's own package.
func signalbox(_ name: String) -> Target.Dependency { .product(name: name, package: "signalbox") }

let package = Package(
  name: "signalbox-bodies",
  dependencies: [.package(name: "signalbox", path: "../..")],
  targets: [
    .testTarget(
      name: "ExploreTests",
      dependencies: [signalbox("SignalboxExplore"), signalbox("SignalboxFoundation"), signalbox("_SignalboxInternals")],
      path: "Tests"),
    // How many schedules a second; run by hand.
    .executableTarget(
      name: "ExploreRate",
      dependencies: [signalbox("SignalboxExplore"), signalbox("SignalboxFoundation"), signalbox("_SignalboxInternals")],
      path: "Rate"),
  ],
  swiftLanguageModes: [.v6]
)
