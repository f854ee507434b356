// Messages.swift: the notifications of this program, and what they carry.

extension Notification.Name {
  /// A document is in the library. `Message.document` and `Message.pack` tell which.
  static let documentStored = Notification.Name("fetcher.documentStored")
  /// A pack's server does not answer. `Message.pack` tells which.
  static let packIsSilent = Notification.Name("fetcher.packIsSilent")
}

/// The entries of a notification's `userInfo`.
enum Message {
  static let pack = "pack"
  static let document = "document"

  static func post(_ name: Notification.Name, pack: Pack, document: Document? = nil) {
    var facts: [AnyHashable: Any] = [Message.pack: pack.name]
    facts[Message.document] = document?.name
    NotificationCenter.default.post(name: name, object: nil, userInfo: facts)
  }
}

extension Notification {
  var pack: String? { userInfo?[Message.pack] as? String }
  var document: String? { userInfo?[Message.document] as? String }
}
