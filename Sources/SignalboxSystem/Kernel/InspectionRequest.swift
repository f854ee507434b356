// InspectionRequest.swift: whether a process is to let itself be asked what it is doing. Under which name it then is found is
// InspectionPlace.swift.

/// What the environment says of that.
public enum InspectionRequest {
  /// The variable by which a program lets itself be asked.
  public static let variable = "SIGNALBOX_INSPECT"

  /// Whether the environment asks for it. Says what cannot be understood.
  public static let isWanted: Bool = {
    guard let text = Environment.value(variable), text != "0" else { return false }
    if text == "1" { return true }
    Misuse.report("\(variable)=\(text) is not 0 or 1: the program cannot be inspected")
    return false
  }()
}
