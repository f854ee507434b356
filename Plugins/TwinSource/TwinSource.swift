// TwinSource.swift: compiles one text twice. Copies the Swift files named in a target's `Twin.source`, a file or folder on each
// line (relative to the package), into the target's build folder, all but `Subject.swift`, which says which library it is on.
import Foundation
import PackagePlugin

@main
struct TwinSource: BuildToolPlugin {
  enum Failure: Error, CustomStringConvertible {
    case noSpecification(String)
    case noSources(String)
    var description: String {
      switch self {
      case .noSpecification(let path): "no file \(path): write the folders and files that are to be compiled again into it"
      case .noSources(let path): "no Swift source under \(path): correct the target's Twin.source"
      }
    }
  }

  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let module = target as? any SourceModuleTarget else { return [] }
    let specification = module.directoryURL.appending(path: "Twin.source")
    guard let text = try? String(contentsOf: specification, encoding: .utf8) else {
      throw Failure.noSpecification(specification.path)
    }
    let sources = try text.split(separator: "\n").flatMap { line in
      try swiftFiles(at: context.package.directoryURL.appending(path: line.trimmingCharacters(in: .whitespaces)))
    }
    return sources.map { source in
      let copy = context.pluginWorkDirectoryURL.appending(path: source.lastPathComponent)
      return .buildCommand(
        displayName: "Compile \(source.lastPathComponent) again", executable: URL(filePath: "/bin/cp"),
        arguments: [source.path, copy.path], inputFiles: [source], outputFiles: [copy])
    }
  }

  /// The file itself, or those directly in the folder.
  private func swiftFiles(at place: URL) throws -> [URL] {
    if place.pathExtension == "swift" { return [place] }
    let sources = try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" && $0.lastPathComponent != "Subject.swift" }
      .sorted { $0.path < $1.path }
    guard !sources.isEmpty else { throw Failure.noSources(place.path) }
    return sources
  }
}
