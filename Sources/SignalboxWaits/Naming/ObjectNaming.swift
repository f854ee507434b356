// ObjectNaming.swift: what reports call objects: by the layer above that has them (DiagnosedLayer), else by what is
// known here. An object in full is ObjectText.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// How objects are read for a report.
package enum Look {
  /// Their threads stand still, for certain, and refer to them: so they are alive.
  case inPlace
  /// Their threads may have gone on, and the objects with them: by guarded reads alone.
  case byCopy

  /// The same for one object of it: what a scan keeps alive is there until that ends. For the thread that scans.
  package func at(_ object: UInt) -> Look { self == .byCopy && Layers.first { $0.title(of: object) } != nil ? .inPlace : self }
}

/// Names for objects at report time. May allocate.
package enum ObjectNaming {
  /// The object as `print` shows it; of a lock whose word is not the object `word` names its holder.
  package static func description(_ kind: WaitKind, _ address: UInt, _ word: OwnerWord? = nil, _ look: Look = .inPlace)
    -> String
  {
    let text = Layers.first { look == .inPlace ? $0.description(kind, address) : $0.copiedDescription(kind, address) }
    if let text { return text }
    let holder = word.map { $0.reading == .lock || $0.reading == .once ? OwnerReader().read($0).owner : 0 } ?? 0
    return ObjectText.lock(kind, address, state: holder == 0 ? nil : ObjectText.held(by: holder))
  }

  /// The object in words: by its layer's name for it, else by kind, address and, of a lock, its name.
  package static func name(_ kind: WaitKind, _ address: UInt, _ look: Look = .inPlace) -> String {
    Layers.first { look == .inPlace ? $0.name(kind, address) : $0.copiedName(kind, address) }
      ?? LockNames.describe(kind, address)
  }

  /// The label of the innermost queue whose items are taken, of these frames of a thread; nil if there is none, or it
  /// has none.
  package static func drainedLabel(_ frames: [FrameWord], _ look: Look = .inPlace) -> String? {
    guard let drain = frames.first(where: \.kind.isDrain) else { return nil }
    let label = Layers.first { look == .inPlace ? $0.label(ofQueue: drain.object) : $0.copiedLabel(ofQueue: drain.object) }
    return label.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What a thread with this frame is inside of.
  package static func name(of frame: FrameWord, _ look: Look = .inPlace) -> String {
    Layers.first { look == .inPlace ? $0.name(of: frame) : $0.copiedName(of: frame) } ?? "0x\(String(frame.object, radix: 16))"
  }
}
