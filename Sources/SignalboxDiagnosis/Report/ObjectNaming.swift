// ObjectNaming.swift: what reports call objects: by the layer above that has them (DiagnosedLayer), else by what is known here. An object
// in full is ObjectText.swift.
import SignalboxSystem

/// Names for objects whose threads stand still, at report time. They refer to them, so they are alive. May allocate.
enum ObjectNaming {
  /// The object as `print` shows it; of a lock whose word is not the object `word` names its holder.
  static func description(_ kind: WaitKind, _ address: UInt, _ word: OwnerWord? = nil) -> String {
    if let text = Layers.first({ $0.description(kind, address) }) { return text }
    let holder = word.map { $0.reading == .lock || $0.reading == .once ? OwnerReader.read($0).owner : 0 } ?? 0
    return ObjectText.lock(kind, address, state: holder == 0 ? nil : ObjectText.held(by: holder))
  }

  /// The object in words: by its layer's name for it, else by kind, address and, of a lock, its name.
  static func name(_ kind: WaitKind, _ address: UInt) -> String {
    Layers.first { $0.name(kind, address) } ?? LockNames.describe(kind, address)
  }

  /// The label of the innermost queue whose items are taken, of these frames of a thread; nil if there is none, or it has none.
  static func drainedLabel(_ frames: [FrameWord]) -> String? {
    guard let drain = frames.first(where: \.kind.isDrain) else { return nil }
    return Layers.first { $0.label(ofQueue: drain.object) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What a thread with this frame is inside of.
  static func name(of frame: FrameWord) -> String {
    Layers.first { $0.name(of: frame) } ?? "0x\(String(frame.object, radix: 16))"
  }
}
