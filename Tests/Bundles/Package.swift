// swift-tools-version: 6.0
// A package as others write them: a small library with tests of both kinds, unaware of Signalbox. `signalbox explore` runs its test
// bundle (Scripts/check-bundles). Some tests hold only by luck: with MENDED defined, they hold.
import PackageDescription

let package = Package(
  name: "box-office",
  targets: [
    .target(name: "BoxOffice", path: "Sources"),
    .testTarget(name: "BoxOfficeXCTests", dependencies: ["BoxOffice"], path: "XCTests"),
    .testTarget(name: "BoxOfficeTests", dependencies: ["BoxOffice"], path: "Tests"),
  ],
  swiftLanguageModes: [.v6]
)
