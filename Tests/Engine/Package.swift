// swift-tools-version: 6.3
// The engine's own protocols, atomic by atomic: each test explores a few threads whose points are the operations on the engine's words
// (trait Explore). A package beside Signalbox's own, because the trait is a build of its own, and because a program that explores has
// the explorer's functions in place of the C library's.
import PackageDescription

/// The one who takes `name` from Signalbox's own package.
func signalbox(_ name: String) -> Target.Dependency { .product(name: name, package: "signalbox") }

let package = Package(
  name: "signalbox-engine",
  dependencies: [.package(name: "signalbox", path: "../..", traits: ["Explore"])],
  targets: [
    .testTarget(
      name: "EngineTests",
      dependencies: [
        signalbox("SignalboxExplore"), signalbox("SignalboxDispatch"), signalbox("SignalboxLocks"),
        signalbox("SignalboxFoundation"), signalbox("_SignalboxInternals"),
      ],
      path: "Tests")
  ],
  swiftLanguageModes: [.v6]
)
