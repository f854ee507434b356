// DeepCopies.swift: copies of the article's shared collections in which objects are copied, too, as NSCopying says. Copies that
// share their objects are TSArray.swift and TSDictionary.swift in Signalbox.
import Foundation
import Signalbox

extension TSArray {
  /// All elements at this moment: copies of those that conform to `NSCopying`, the others as they are.
  ///
  /// Thread safety: as for the array. The elements are copied without the lock: a copy shows its object at the moment it is made,
  /// and objects that others change meanwhile must allow that.
  public var deepCopyValues: [Any] { refCopyValues.map(deepCopy) }
}

extension TSDictionary {
  /// All entries at this moment: copies of the values that conform to `NSCopying`, the others as they are; keys are not copied.
  ///
  /// Thread safety: as for `TSArray.deepCopyValues`.
  public func deepCopyDict() -> [AnyHashable: Any] { refCopyDict().mapValues(deepCopy) }

  /// All values at this moment, in no particular order: copies of those that conform to `NSCopying`, the others as they are.
  ///
  /// Thread safety: as for `TSArray.deepCopyValues`.
  public var deepCopyValues: [Any] { values.map(deepCopy) }
}

private func deepCopy(_ value: Any) -> Any { (value as? any NSCopying)?.copy() ?? value }
