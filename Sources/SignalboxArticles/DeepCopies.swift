// DeepCopies.swift: copies of the article's shared collections in which objects are copied, too, as NSCopying says.
// Copies that share their objects are TSArray.swift and TSDictionary.swift.
import Foundation

extension TSArray {
  /// A snapshot of all elements: those that conform to `NSCopying` are copied, the others are shared.
  ///
  /// Thread safety: as for the array. Elements are copied without the lock: each copy has the object's state at the time of
  /// copying, and objects that other threads change meanwhile must allow that.
  ///
  /// ```swift
  /// let names = TSArray()
  /// names.append(NSMutableString(string: "Ann"))
  /// print(names.deepCopyValues)  // [Ann]: a later change of the object does not reach the copy
  /// ```
  public var deepCopyValues: [Any] { refCopyValues.map(deepCopy) }
}

extension TSDictionary {
  /// A snapshot of all entries: values that conform to `NSCopying` are copied, other values and the keys are shared.
  ///
  /// Thread safety: as for `TSArray.deepCopyValues`.
  ///
  /// ```swift
  /// let people = TSDictionary()
  /// people["first"] = NSMutableString(string: "Ann")
  /// print(people.deepCopyDict())  // a later change of the object does not reach the copy
  /// ```
  ///
  /// - Complexity: O(n), beside the copying of the values.
  public func deepCopyDict() -> [AnyHashable: Any] { refCopyDict().mapValues(deepCopy) }

  /// A snapshot of all values, in no particular order: those that conform to `NSCopying` are copied, the others are shared.
  ///
  /// Thread safety: as for `TSArray.deepCopyValues`.
  ///
  /// ```swift
  /// let people = TSDictionary()
  /// people["first"] = NSMutableString(string: "Ann")
  /// print(people.deepCopyValues)  // [Ann]
  /// ```
  public var deepCopyValues: [Any] { values.map(deepCopy) }
}

private func deepCopy(_ value: Any) -> Any { (value as? any NSCopying)?.copy() ?? value }
