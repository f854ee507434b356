// Demo.swift: `signalbox demo`: plays the acts one after the other, and says at the end whether all came out.
import SignalboxCommandLine
import SignalboxSystem

/// The demo.
public enum Demo {
  /// The programs of an act, as they are compiled.
  public static func source(of act: Int) -> String {
    DemoProgram.of(act: act).map { "// \($0.file)\n\n\($0.source)" }.joined(separator: "\n")
  }

  /// Plays the acts that the options name, and writes each as soon as it is over.
  ///
  /// - Returns: what did not come out, a line for each.
  public static func play(_ options: DemoOptions, _ acts: [Int]) throws(DemoRefusal) -> [String] {
    Interrupts.watch()
    let stage = try Stage(options)
    let page = Page(
      isColoured: !options.isJSON && OwnProcess.outputIsTerminal && (Environment.value("NO_COLOR") ?? "").isEmpty)
    if !options.isJSON {
      OwnProcess.write("Programs on the toolchain's libraries, and under `signalbox run`: measured now.\n")
    }
    try stage.prepare(acts: acts)
    var scenes: [Scene] = []
    for act in acts {
      let scene: Scene
      switch act {
      case 1: scene = try WaitsAct.play(stage, page)
      case 2: scene = try HangAct.play(stage, page, isWhole: acts == [2])
      case 3: scene = try RaceAct.play(stage, page)
      default:
        let played = try TimesAct.play(stage, page)
        scene = played.scene
        if let file = options.picture { try draw(played.rows, into: file) }
      }
      scenes.append(scene)
      if !options.isJSON { OwnProcess.write(scene.text(page)) }
    }
    if !options.isJSON {
      let heading = page.paint(.heading, "With a program of your own")
      let lines = scenes.map { "   \($0.number)  \($0.advice)" }
      OwnProcess.write((["", heading, ""] + lines).joined(separator: "\n") + "\n")
    }
    let failed = scenes.flatMap { scene in scene.claims.filter { !$0.holds }.map { "act \(scene.number): \($0.text)" } }
    if options.isJSON {
      let json = JSON.object([
        ("signalbox", .string(Version.number)), ("acts", .array(scenes.map(\.json))), ("ok", .boolean(failed.isEmpty)),
      ])
      OwnProcess.write(json.text + "\n")
    }
    return failed
  }

  private static func draw(_ rows: [TimesAct.Row], into file: String) throws(DemoRefusal) {
    let picture = TimesPicture(rows: rows, note: "Medians on \(Processors.available()) processors; the shorter, the better.")
    let bytes = Array(picture.svg.utf8)
    do { try PrivateFile.replace(file) { write in _ = write(bytes) } } catch {
      throw DemoRefusal(.cannotCreateFile, "\(file) cannot be written, because \(error)")
    }
  }
}
