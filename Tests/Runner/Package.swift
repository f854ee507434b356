// swift-tools-version: 6.2
// Package.swift: tests that fail, trap, exit and hang on purpose: Scripts/check-runner sees what Scripts/test makes of them.
import PackageDescription

let package = Package(
  name: "signalbox-runner",
  targets: [.testTarget(name: "RunnerTests", path: "Tests/RunnerTests")])
