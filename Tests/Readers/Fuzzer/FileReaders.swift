// FileReaders.swift: the readers of files in a form of bytes: recordings, core dumps, programs. The input says how a
// whole file is damaged (Edits.swift). The whole files are made here: WholeRecording.swift, WholeCore.swift,
// WholeImage.swift.
import SignalboxCommandLine
import SignalboxInspector
import SignalboxLaunch
import SignalboxRecorder
import SignalboxSystem
import SignalboxTimeline

/// A recording, and its summary, its page and its Perfetto form.
final class RecordingReader: DamagedReader {
  private let file = EditedFile(WholeRecording.bytes)

  init() {
    guard let recording = try? RecordingFile(file.path), recording.threads.count == WholeRecording.threads else {
      stop("the whole recording does not read as one: WholeRecording.swift writes it", 2)
    }
  }

  func read(_ input: [UInt8]) {
    var edits = Edits(input), counts = [Int](repeating: 0, count: WholeRecording.threads)
    edits.apply(to: file) { WholeRecording.event(&$0, &counts) }
    defer { file.mend() }
    guard (try? RecordingFile.isRecording(file.path)) == true, let recording = try? RecordingFile(file.path) else { return }
    let summary = RecordingSummary(recording)
    if summary.text(isWhole: true).isEmpty || summary.text().isEmpty { stop("a summary has no text") }
    _ = summary.json.text
    TimelinePage.write(recording) { _ in true }
    PerfettoForm.write(recording) { _ in true }
  }
}

/// A core dump with the program that ran, and all that is shown of it.
final class CoreReader: DamagedReader {
  private let core = EditedFile(WholeCore.bytes), program = EditedFile(WholeCore.program)

  init() {
    do throws(InspectRefusal) {
      let found = try CoreInspection(core.path, program: program.path)
      let text = WaitPicture(found.inspections, process: "1").svg
      guard found.inspections.first?.threads.count == 3, text.contains("accounts") else {
        stop("the whole core dump does not show its queue: WholeCore.swift writes it\n\(text)", 2)
      }
    } catch { stop("the whole core dump is refused: \(error.message)", 2) }
  }

  func read(_ input: [UInt8]) {
    var edits = Edits(input)
    edits.apply(to: core)
    defer { core.mend() }
    guard let found = try? CoreInspection(core.path, program: program.path) else { return }
    // Names are not asked for, so that no symbolizer is started for each input.
    let inspections = found.inspections, names = PlaceNames(wantsLines: false)
    _ = InspectionTables(inspections, process: "\(found.process) (\(found.name))", shownWhole, names).text
    _ = InspectOutput.json(inspections, process: found.process, name: found.name, names).text
    _ = WaitPicture(inspections, process: found.name).svg
    _ = TopTable(inspections, after: nil, seconds: 1, title: found.name, width: 40).lines
  }
}

/// A program or library: what `signalbox run` asks its headers, and what names its places.
final class ElfReader: DamagedReader {
  private let file = EditedFile(WholeImage.bytes)

  init() {
    guard let image = image(), image.needed.count == 2, image.holdsSwift, image.buildID != nil, image.compiler != nil,
      ImageFunctions.at([0x1010], in: file.path).first??.name == "main"
    else { stop("the whole program does not read as one: WholeImage.swift writes it", 2) }
  }

  private func image() -> ElfImage? {
    guard let bytes = try? FileBytes(RawString(file.path)) else { return nil }
    return ElfImage { bytes.read(at: $0, count: $1) }
  }

  func read(_ input: [UInt8]) {
    var edits = Edits(input)
    edits.apply(to: file)
    defer { file.mend() }
    _ = image()
    _ = ImageFunctions.base(of: file.path)
    let places: [UInt64] = [0, 0x1000, 0x1010, 0x1058, 0x10FF, .max, 1 << 63, 0x1010]
    for found in ImageFunctions.at(places, in: file.path) { _ = found.map { SymbolNames.full($0.name) } }
  }
}
