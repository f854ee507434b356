// ReportNames.swift: what reports call the engine's objects: as `print` shows them. How that is put together is in the types' own
// +Description files.
import SignalboxDiagnosis
import SignalboxSystem

enum ReportNames {
  /// Tells the diagnosis; once.
  static func install() {
    ObjectNaming.installLabels { ReportNames.describe($0 & ~7, as: DispatchQueue.self, into: $1) { $0.name } }
    ObjectNaming.installDescriptions(
      { ReportNames.describe($0, as: DispatchObject.self, into: $1) { $0.description } },
      for: [.sync, .barrierSync, .asyncAndWait, .group, .semaphore])
    ObjectNaming.installDescriptions(
      { ReportNames.describe($0, as: DispatchWorkItem.self, into: $1) { $0.description } }, for: [.workItem])
    ObjectNaming.install(
      { ReportNames.describe($0, as: DispatchSemaphore.self, into: $1) { $0.title } }, for: [.semaphore])
  }

  private static func describe<Object: AnyObject>(
    _ address: UInt, as type: Object.Type, into result: UnsafeMutableRawPointer, _ text: (Object) -> String
  ) { result.assumingMemoryBound(to: String.self).pointee = object(address, as: type)._withUnsafeGuaranteedRef { text($0) } }

  // SAFETY: a waiting thread refers to the object, or is inside of it, and stands still.
  static func object<Object: AnyObject>(_ address: UInt, as type: Object.Type) -> Unmanaged<Object> {
    .at(address)
  }
}

extension DispatchSemaphore {
  /// How sentences name it.
  fileprivate final var title: String {
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    return "semaphore " + (name.map { "\"\($0)\"" } ?? "0x\(String(address, radix: 16))")
  }
}
