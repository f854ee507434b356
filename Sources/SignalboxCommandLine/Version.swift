// Version.swift: which version of Signalbox this is.

/// The package's version.
public enum Version {
  /// The number that CHANGELOG.md gives to what this was built from.
  public static let number = "0.1.0"
}
