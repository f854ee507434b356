// swift-tools-version: 6.3
// A package that also builds on Apple's platforms: it depends on Signalbox on Linux alone, where its one import is Signalbox's; elsewhere
// that import is Apple's own. Scripts/check-portable builds and tests it both ways.
import PackageDescription

/// Signalbox, where it is needed.
let signalbox = Target.Dependency.product(
  name: "SignalboxFoundation", package: "signalbox", condition: .when(platforms: [.linux]))

let package = Package(
  name: "signalbox-portable",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "Ledger", targets: ["Ledger"]),
    .executable(name: "bookkeeper", targets: ["Bookkeeper"]),
  ],
  dependencies: [.package(name: "signalbox", path: "../..")],
  targets: [
    .target(name: "Ledger", dependencies: [signalbox]),
    .executableTarget(name: "Bookkeeper", dependencies: ["Ledger", signalbox]),
    .testTarget(name: "LedgerTests", dependencies: ["Ledger", signalbox]),
  ],
  swiftLanguageModes: [.v6]
)
