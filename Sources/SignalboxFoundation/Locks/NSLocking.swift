// NSLocking.swift: what all lock classes promise. It stays Foundation's, so that their locks and ours serve one program.
public import Foundation

/// Foundation's protocol of things that can be locked.
public typealias NSLocking = Foundation.NSLocking
