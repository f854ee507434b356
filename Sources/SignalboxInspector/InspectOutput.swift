// InspectOutput.swift: inspections as one JSON object, with the names of their places.
import SignalboxCommandLine

/// The object that `signalbox inspect --json` prints.
public enum InspectOutput {
  /// `process`, `name`, `findings` (what stands out, in sentences), `copies` (Inspection+JSON.swift), `tasks` with
  /// `taskCycles` and `taskFunctions` (InspectedTask+JSON.swift) and `names`: function, file and line of each place,
  /// `IMAGE+0xDISTANCE`.
  public static func json(_ inspections: [Inspection], process: Int32, name: String) -> JSON {
    var names = PlaceNames(wantsLines: true)
    names.learn(inspections)
    return json(inspections, process: process, name: name, names)
  }

  package static func json(_ inspections: [Inspection], process: Int32, name: String, _ names: PlaceNames) -> JSON {
    let places = Set(inspections.flatMap(\.places))
    let named = places.compactMap { place -> (name: String, value: JSON)? in
      guard let image = place.image, let text = names.name(place) else { return nil }
      return ("\(image)+\(place.offset.hexadecimal)", .string(text))
    }
    let findings = inspections.flatMap { InspectionFindings($0, InspectionNames($0, names)).lines }
    return .object([
      ("process", .number(Double(process))), ("name", .string(name)),
      ("findings", .array(findings.map { .string($0) })), ("copies", .array(inspections.map(\.json))),
      ("tasks", .array(inspections.flatMap { $0.tasks.all.map { $0.json(names) } })),
      ("taskCycles", .array(inspections.flatMap(\.tasks.cycles).map { .array($0.map { .number(Double($0)) }) })),
      ("taskFunctions", .array(inspections.flatMap { $0.tasks.functions.map { $0.json(names) } })),
      ("actors", .array(inspections.flatMap { $0.tasks.actors.map(\.json) })),
      ("names", .object(named.sorted { $0.name < $1.name })),
    ])
  }
}
