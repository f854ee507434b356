// Subject.swift: which library this build of the sanitizer's cases stands on. All other files are those of the folder named in Twin.source.
@_exported import SignalboxFoundation
