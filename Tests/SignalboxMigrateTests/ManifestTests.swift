// ManifestTests.swift: the dependency in manifests of several shapes, the file of aliases, and the choice of the manifest.
import Testing

@testable import SignalboxMigrate

@MainActor @Suite("Migrate: manifests") struct ManifestTests {
  private static let files = ["a.swift": "import Foundation\n"], tests = ["b.swift": "import XCTest\nlet l = NSLock()\n"]
  private static let product = ".product(name: \"SignalboxFoundation\", package: \"signalbox\")"
  private static let package = ".package(name: \"signalbox\", path: \"../signalbox\")"

  private func moved(_ manifest: String, dependencies: [String] = [], products: [String] = []) throws -> String {
    let plan = try Reader.plan(
      Self.files, tests: Self.tests, manifest: manifest, products: products, dependencies: dependencies)
    return plan.text(of: "Package.swift") ?? manifest
  }

  @Test("Lists on one line, and arguments that are missing")
  func oneLine() throws {
    #expect(
      try moved(
        "let package = Package(name: \"Sample\", targets: [.target(name: \"Sample\", path: \"a\"), .testTarget(name: \"SampleTests\", dependencies: [\"Sample\"])])"
      )
        == "let package = Package(name: \"Sample\", dependencies: [\(Self.package)], targets: [.target(name: \"Sample\", dependencies: [\(Self.product)], path: \"a\"), .testTarget(name: \"SampleTests\", dependencies: [\"Sample\", \(Self.product)])])"
    )
  }

  @Test("Lists with a line for each element, with and without a comma behind the last")
  func manyLines() throws {
    let old = """
      let package = Package(
        name: "Sample",
        dependencies: [
          .package(url: "https://example.com/other", from: "1.0.0"),
        ],
        targets: [
          .target(
            name: "Sample",
            dependencies: [
              "Other"
            ]),
          .testTarget(
            name: "SampleTests"),
        ]
      )
      """
    let new = """
      let package = Package(
        name: "Sample",
        dependencies: [
          .package(url: "https://example.com/other", from: "1.0.0"),
          \(Self.package),
        ],
        targets: [
          .target(
            name: "Sample",
            dependencies: [
              "Other",
              \(Self.product)
            ]),
          .testTarget(
            name: "SampleTests",
            dependencies: [\(Self.product)]),
        ]
      )
      """
    #expect(try moved(old) == new)
  }

  @Test("Empty lists and lists that are computed")
  func otherLists() throws {
    #expect(
      try moved(
        "let p = Package(name: \"S\", dependencies: [], targets: [.target(name: \"Sample\", dependencies: all), .testTarget(name: \"SampleTests\", dependencies: [ ])])"
      )
        == "let p = Package(name: \"S\", dependencies: [\(Self.package)], targets: [.target(name: \"Sample\", dependencies: all + [\(Self.product)]), .testTarget(name: \"SampleTests\", dependencies: [\(Self.product)])])"
    )
  }

  @Test("A list that an operator makes keeps its meaning")
  func operators() throws {
    let text = try moved(
      "let p = Package(name: \"S\", targets: [.target(name: \"Sample\", dependencies: isBig ? a : b), .testTarget(name: \"SampleTests\", dependencies: all.map { $0 })])"
    )
    #expect(text.contains("dependencies: (isBig ? a : b) + [\(Self.product)])"))
    #expect(text.contains("dependencies: all.map { $0 } + [\(Self.product)])"))
  }

  @Test("Comments stay with their elements, and lines end as they did")
  func comments() throws {
    let old = """
      let package = Package(
        name: "Sample",
        dependencies: [
          .package(path: "../a"), // the first
        ],
        targets: [
          .target(
            name: "Sample",
            dependencies: [
              "Other" // the last, why
            ]),
          .testTarget(name: "SampleTests")
        ]
      )

      """
    let new = """
      let package = Package(
        name: "Sample",
        dependencies: [
          .package(path: "../a"), // the first
          \(Self.package),
        ],
        targets: [
          .target(
            name: "Sample",
            dependencies: [
              "Other", // the last, why
              \(Self.product)
            ]),
          .testTarget(name: "SampleTests", dependencies: [\(Self.product)])
        ]
      )

      """
    #expect(try moved(old) == new)
    let returns = { (text: String) in text.replacing("\n", with: "\r\n") }
    #expect(try moved(returns(old)) == returns(new))
    let made = try moved(returns("let p = Package(name: \"S\")\np.targets = all()\n"))
    #expect(
      made.contains("+= [") && made.split(separator: "\r\n", omittingEmptySubsequences: false).allSatisfy { !$0.contains("\n") }
    )
  }

  @Test("A dependency on Signalbox's folder is taken by the name that it has")
  func named() throws {
    func reference(_ dependency: String, _ toolsVersion: [Int] = [5, 9]) throws -> String? {
      let manifest =
        "let p = Package(name: \"S\", dependencies: [\(dependency)], targets: [.target(name: \"Sample\"), .testTarget(name: \"SampleTests\")])"
      let plan = try Reader.plan(
        Self.files, manifest: manifest, dependencies: ["main"], folders: ["main": "/signalbox"], toolsVersion: toolsVersion)
      let text = try #require(plan.text(of: "Package.swift"))
      #expect(text.contains("dependencies: [\(dependency)], targets:"))
      return text.split(separator: "package: \"").last?.split(separator: "\"").first.map(String.init)
    }
    #expect(try reference(".package(path: \"../main\")") == "main")
    #expect(try reference(".package(name: \"ours\", path: \"../main\")") == "ours")
    #expect(try reference(".package(path: \"../main\")", [5, 0]) == "signalbox")
  }

  @Test("Manifests for tools that know no name of a package from a folder get none")
  func olderTools() throws {
    let text = try Reader.plan(Self.files, toolsVersion: [5, 1]).text(of: "Package.swift")
    #expect(text?.contains(".package(path: \"../signalbox\")") == true)
    #expect(try Reader.plan(Self.files, toolsVersion: [5, 2]).text(of: "Package.swift")?.contains(Self.package) == true)
  }

  @Test("An address with a version, a branch or a revision; products are asked of its last part")
  func addresses() throws {
    func text(
      _ address: String, _ requirement: SignalboxDependency.Requirement, _ toolsVersion: [Int] = [6, 0], has: [String] = []
    ) throws -> String? {
      try Reader.plan(
        Self.files, dependencies: has, toolsVersion: toolsVersion, dependency: .address(address, requirement)
      ).text(of: "Package.swift")
    }
    let address = "https://example.com/team/Box.git"
    let element = ".package(url: \"\(address)\", from: \"0.1.0\")"
    let product = ".product(name: \"SignalboxFoundation\", package: \"box\")"
    let whole = try #require(try text(address, .from("0.1.0")))
    #expect(whole.contains("dependencies: [\(element)]") && whole.contains("dependencies: [\(product)]"), "\(whole)")
    #expect(try text(address, .branch("main"))?.contains("\(address)\", branch: \"main\")") == true)
    #expect(try text(address, .branch("main"), [5, 4])?.contains("\(address)\", .branch(\"main\"))") == true)
    #expect(try text(address, .revision("0a1b"))?.contains("\(address)\", revision: \"0a1b\")") == true)
    // It is there already: only the product is missing.
    let other = try #require(try text(address, .from("0.1.0"), has: ["box"]))
    #expect(!other.contains("url:") && other.contains(product), "\(other)")
    let named = try #require(try text(address, .from("0.1.0"), has: ["signalbox"]))
    #expect(!named.contains("url:") && named.contains("package: \"signalbox\""), "\(named)")
  }

  @Test("What is an address, and what the package manager calls it")
  func identities() {
    for (word, identity) in [
      ("https://example.com/a/signalbox", "signalbox"), ("ssh://git@example.com/Signalbox.git", "signalbox"),
      ("git@example.com:team/Box.git", "box"), ("file:///srv/git/signalbox.git", "signalbox"),
    ] {
      #expect(SignalboxDependency.isAddress(word))
      #expect(SignalboxDependency.address(word, .from("1.0.0")).identity == identity)
    }
    for word in ["../signalbox", "/srv/signalbox", "a@b", "./a@b:c", "/a:b@c", "signalbox"] {
      #expect(!SignalboxDependency.isAddress(word), "\(word)")
    }
  }

  @Test(
    "A folder as seen from another",
    arguments: [
      ("/a/b/signalbox", "/a/b/app", "../signalbox"), ("/a/signalbox", "/a/b/c", "../../signalbox"),
      ("/a/b/c", "/a/b", "c"), ("/signalbox", "/app", "/signalbox"), ("/srv/x", "/home/y", "/srv/x"),
    ])
  func relative(folder: String, root: String, path: String) {
    #expect(SignalboxDependency.path(to: folder, from: root) == path)
  }

  @Test("A dependency on a target is no target")
  func dependencies() throws {
    let text = try moved(
      "let p = Package(name: \"S\", targets: [.target(name: \"Sample\"), .testTarget(name: \"SampleTests\", dependencies: [.target(name: \"Sample\")])])"
    )
    #expect(text.contains("dependencies: [.target(name: \"Sample\"), \(Self.product)]"))
    #expect(text.contains(".target(name: \"Sample\", dependencies: [\(Self.product)])"))
  }

  @Test("Targets that code makes get theirs by lines at the end")
  func computed() throws {
    let old = "let pkg = Package(name: \"S\")\npkg.targets = names.map { .target(name: $0) }\n"
    let text = try moved(old)
    #expect(text.hasPrefix("let pkg = Package(name: \"S\", dependencies: [\(Self.package)])\n"))
    for target in ["Sample", "SampleTests"] {
      #expect(
        text.contains(
          "for target in pkg.targets where target.name == \"\(target)\" {\n  target.dependencies += [\(Self.product)]\n}\n"))
    }
  }

  @Test("A manifest without a package in a variable is for a person")
  func noPackage() throws {
    let plan = try Reader.plan(Self.files, manifest: "make()\n")
    #expect(plan.decisions(.manifest).count == 1 && plan.text(of: "Package.swift") == nil)
  }

  @Test("What is there already is not added")
  func present() throws {
    let text = try moved(
      "let p = Package(name: \"S\", dependencies: [x], targets: [.target(name: \"Sample\"), .testTarget(name: \"SampleTests\")])",
      dependencies: ["signalbox"], products: ["SignalboxFoundation"])
    #expect(
      text.contains(
        "dependencies: [x], targets: [.target(name: \"Sample\"), .testTarget(name: \"SampleTests\", dependencies: ["))
  }

  @Test("Dependencies, other platforms and plugins are for a person")
  func decisions() throws {
    let plan = try Reader.plan(Self.files, platforms: ["macos"], products: ["Other"])
    #expect(plan.decisions(.dependency).count == 1 && plan.decisions(.platform).count == 1)
  }

  @Test("Modules that import XCTest get the file of aliases, without names of the package's own types")
  func aliases() throws {
    let plan = try Reader.plan(["a.swift": "import Foundation\npublic class Timer {}\n"], tests: Self.tests)
    #expect(plan.new.map(\.path) == ["Tests/SampleTests/SignalboxNames.swift"])
    let text = try #require(plan.new.first?.text)
    #expect(text.contains("typealias DispatchSpecificKey = SignalboxFoundation.DispatchSpecificKey\n"))
    #expect(!text.contains("typealias Timer ") && text.contains("typealias Thread "))
    #expect(AliasFile.text().split(separator: "\n").count == 2 + MovedNames.types.count)
    #expect(try Reader.plan(Self.files, tests: ["b.swift": "import XCTest\nlet a = 1\n"]).new.isEmpty)
  }

  @Test("A file of aliases of an earlier move is not the package's own: files that came later are moved")
  func later() throws {
    let plan = try Reader.plan(
      ["a.swift": "import Other\nlet l = NSLock()\n"],
      tests: ["SignalboxNames.swift": AliasFile.text(), "b.swift": "import XCTest\nlet q = DispatchQueue.main\n"])
    #expect(plan.text(of: "Sources/Sample/a.swift") == "import Other\nimport SignalboxFoundation\nlet l = NSLock()\n")
    #expect(plan.text(of: "Tests/SampleTests/b.swift")?.contains("import SignalboxFoundation\n") == true)
    #expect(plan.new.isEmpty && plan.decisions(.name).isEmpty)
    #expect(plan.products.map(\.target) == ["Sample", "SampleTests"])
  }

  @Test("The toolchain's choice among manifests is ours")
  func choice() {
    func choice(_ names: [String: String], version: [Int] = [6, 3, 1]) -> String {
      ManifestSearch(version: version) { names[$0].map { Array("// swift-tools-version:\($0)\n".utf8) } }.name
    }
    #expect(choice(["Package.swift": "5.5"]) == "Package.swift")
    #expect(choice(["Package.swift": "5.5", "Package@swift-5.4.swift": "5.4"]) == "Package.swift")
    #expect(
      choice(["Package.swift": "4.0", "Package@swift-5.3.swift": "5.3", "Package@swift-5.0.swift": "5.0"])
        == "Package@swift-5.3.swift")
    #expect(choice(["Package.swift": "5.5", "Package@swift-6.swift": "6.0"]) == "Package@swift-6.swift")
    #expect(choice(["Package.swift": "5.5", "Package@swift-6.9.swift": "6.9"]) == "Package.swift")
    #expect(ManifestSearch.tools(Array("// swift-tools-version: 5.9\nimport".utf8)) == [5, 9, 0])
  }
}
