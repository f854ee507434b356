// CoreProcess.swift: the process that a core dump is of, with the program that it ran. What the file has is CoreFile.swift.
import SignalboxLaunch
import SignalboxSystem
import SignalboxView

/// A process as its core dump and the files that it had mapped show it. A core has what was written to; the rest lies in the files, which
/// are read where they are the same as then.
struct CoreProcess: ReadProcess {
  let id: Int32
  let name: String
  let memory: any ProcessMemory
  private(set) var images: ReadImages
  private let core: CoreFile
  private let threadsByID: [Int32: CoreFile.Thread]
  private(set) var unread: [String] = []
  /// What the core lacks, or has and makes no sense, in words.
  var damage: [String] { core.losses.texts }
  var source: String { "core" }
  var now: UInt64? { nil }
  var times: ReadTimes? { nil }

  /// - Throws: why the core cannot be read, or that it is of another program.
  init(_ path: String, program: String) throws(InspectRefusal) {
    core = try CoreFile(path)
    (id, name) = (core.process, core.name)
    threadsByID = Dictionary(core.threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var images = ReadImages(core.parts)
    let ran = try Self.image(of: core, images, path)
    let found = try Self.verify(program, ran, core, path)
    images.rename(ran.path, to: program)
    self.images = images
    var files: [String: FileBytes] = [program: found.file]
    var changed: [String] = []
    for image in images.all where image.path != program && files[image.path] == nil {
      let then = ImageHead(core, at: image.base), now = try? FileBytes(RawString(image.path))
      guard let now, ImageHead(now).isProgram else {
        if then.isProgram { changed.append(image.path) }
        continue
      }
      switch ImageHead(now).matches(then) {
      case false?: changed.append(image.path)
      case true?, nil: files[image.path] = now
      }
    }
    memory = CoreMemory(core: core, images: images, parts: core.parts, files: files, renamed: (ran.path, program))
    unread = damage
    if !found.isSure { unread.append("whether \(program) is the program of this core: the core has not its first page") }
    if !changed.isEmpty {
      unread.append("what lies in files that are gone, or others now than then: \(changed.joined(separator: ", "))")
    }
  }

  /// The program that the process ran.
  private static func image(of core: CoreFile, _ images: ReadImages, _ path: String) throws(InspectRefusal) -> ReadImages.Image
  {
    guard let image = images.image(at: core.entry) ?? images.all.first else {
      throw InspectRefusal(.badFile, "\(path) does not say which program it is of")
    }
    return image
  }

  /// - Returns: the program's file, and whether it is sure that this is what ran.
  private static func verify(
    _ program: String, _ ran: ReadImages.Image, _ core: CoreFile, _ path: String
  ) throws(InspectRefusal) -> (file: FileBytes, isSure: Bool) {
    let file: FileBytes
    do { file = try FileBytes(RawString(program)) } catch {
      throw InspectRefusal(.noFile, "\(program) cannot be read: \(error)")
    }
    let head = ImageHead(file)
    guard head.isProgram else { throw InspectRefusal(.badFile, "\(program) is no program") }
    switch head.matches(ImageHead(core, at: ran.base)) {
    case true?: return (file, true)
    case nil: return (file, false)
    case false?:
      let isNamesake = ran.path.split(separator: "/").last == program.split(separator: "/").last
      let what = isNamesake ? "another build of \(program)" : "\(ran.path)"
      throw InspectRefusal(
        .badFile, "\(path) is the core dump of \(what): name the file that ran, with its debug information if need be")
    }
  }

  func threads() -> [ReadThread] {
    core.threads.sorted { $0.id < $1.id }.map {
      ReadThread(id: $0.id, outerID: $0.id, name: $0.id == id ? name : "", state: nil)
    }
  }

  var written: [Range<ReadNumber>] { core.ranges }

  /// The stack of a thread, by the unwind tables of the files. Of another machine's it is not known how its
  /// instructions call.
  var stacks: Inspection.Stacks {
    let walker = OtherStacks(images.all.map { $0.walked(file($0.path)) }, memory)
    return { [self] id in
      guard let thread = threadsByID[id] else { return nil }
      let at = core.state(of: thread)
      guard core.isOfOwnMachine else { return ([at.place + 1] + returnAddresses(frame: at.frame, stack: at.stack), nil) }
      // A dump that others have written may lack the frame pointer; and 0 leads nowhere.
      let frame = at.frame == 0 ? nil : UInt(at.frame.bits)
      return walker.walk(UInt(at.place.bits), UInt(at.stack.bits), frame: frame).shown
    }
  }

  /// Along frame pointers: right as far as functions keep them. A frame lies further out than the one before.
  private func returnAddresses(frame: ReadNumber, stack: ReadNumber) -> [ReadNumber] {
    var found: [ReadNumber] = [], here = frame, inner = stack
    while found.count < 64, here >= inner, here % 8 == 0, let words = memory.words(here, 2) {
      guard images.image(at: words[1]) != nil else { break }
      found.append(words[1])
      (inner, here) = (here + 16, words[0])
    }
    return found
  }

  func call(of thread: ReadThread) -> KernelCall? {
    threadsByID[thread.id].flatMap { core.state(of: $0).call }
  }
  func switches(of thread: ReadThread) -> UInt64? { 0 }
}

/// What tells one file of code from another: the parts of its headers that stay when symbols are taken out, and its build ID.
struct ImageHead {
  private let bytes: [UInt8]
  private static let most = 4096

  init(_ file: FileBytes) { bytes = file.read(at: 0, count: Self.most) }
  init(_ core: CoreFile, at base: ReadNumber) { bytes = core.bytes(base, Self.most) ?? [] }

  var isProgram: Bool { reader.map { $0.is64 && $0.isLittle } ?? false }

  private var reader: ELFReader? {
    ELFReader { [bytes] offset, count in
      Array(bytes.dropFirst(ReadNumber(offset).int(upTo: bytes.count)).prefix(count))
    }
  }

  /// nil: one of them is not there.
  func matches(_ other: ImageHead) -> Bool? {
    guard isProgram, other.isProgram else { return other.bytes.isEmpty || bytes.isEmpty ? nil : false }
    let (one, another) = (reader?.buildID, other.reader?.buildID)
    return facts == other.facts && (one == nil || another == nil || one == another)
  }

  /// Without where the sections lie, and how many there are.
  private var facts: [ArraySlice<UInt8>] {
    let behind = bytes.dropFirst(bytes.word64(at: 32).int(upTo: bytes.count))
    return [bytes[0..<40], bytes[48..<60], behind.first(bytes.word16(at: 56) * 56)]
  }
}

/// A core's memory, and behind it that of the files.
private struct CoreMemory: ProcessMemory {
  let core: CoreFile
  let images: ReadImages
  let parts: [OtherImages.Part]
  let files: [String: FileBytes]
  let renamed: (from: String, to: String)

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    if let found = core.bytes(address, count) { return found }
    guard !core.has(address), let part = parts.first(where: { $0.range.contains(address) }),
      ReadNumber(count: count) <= part.range.upperBound - address,
      let file = files[part.path == renamed.from ? renamed.to : part.path]
    else { return nil }
    let found = file.read(at: (part.offset + (address - part.range.lowerBound)).bits, count: count)
    return found.count == count ? found : nil
  }
}
