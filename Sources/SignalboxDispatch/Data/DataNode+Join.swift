// DataNode+Join.swift: two pieces as one, and a part of one: no byte is copied, and the tree stays flat.
//
// Heights of two parts differ by one at most, so n regions lie at most 1.44 log2(n) deep: walking, cutting and freeing may
// recurse. A piece is hung in where the other one's edge is as high as it is; the way up turns nodes where they lean.

extension DataNode {
  /// The bytes of `left`, then those of `right`. Takes over nodes that nobody else refers to.
  ///
  /// - Complexity: O(difference of heights).
  package static func join(_ left: consuming DataNode, _ right: consuming DataNode) -> DataNode {
    if left.height > right.height + 1 {
      let parts = open(left)
      return leaningRight(parts.left, join(parts.right, right), parts.shell)
    }
    if right.height > left.height + 1 {
      let parts = open(right)
      return leaningLeft(join(left, parts.left), parts.right, parts.shell)
    }
    return pair(left, right, nil)
  }

  /// `right` may be two higher.
  private static func leaningRight(
    _ left: consuming DataNode, _ right: consuming DataNode, _ shell: consuming DataNode?
  ) -> DataNode {
    guard right.height > left.height + 1 else { return pair(left, right, shell) }
    let outer = open(right)
    guard outer.left.height > outer.right.height else {
      return pair(pair(left, outer.left, shell), outer.right, outer.shell)
    }
    let inner = open(outer.left)
    return pair(pair(left, inner.left, shell), pair(inner.right, outer.right, outer.shell), inner.shell)
  }

  /// `left` may be two higher.
  private static func leaningLeft(
    _ left: consuming DataNode, _ right: consuming DataNode, _ shell: consuming DataNode?
  ) -> DataNode {
    guard left.height > right.height + 1 else { return pair(left, right, shell) }
    let outer = open(left)
    guard outer.right.height > outer.left.height else {
      return pair(outer.left, pair(outer.right, right, shell), outer.shell)
    }
    let inner = open(outer.right)
    return pair(pair(outer.left, inner.left, outer.shell), pair(inner.right, right, shell), inner.shell)
  }

  /// The bytes from `lower` up to `upper`, which lie inside and are not none. Keeps only the regions that it touches.
  ///
  /// - Complexity: O(log regions).
  package func part(_ lower: Int, _ upper: Int) -> DataNode {
    if lower == 0 && upper == count { return self }
    guard let left, let right else { return slice(lower, upper) }
    let middle = left._withUnsafeGuaranteedRef { $0.count }
    if upper <= middle { return left._withUnsafeGuaranteedRef { $0.part(lower, upper) } }
    if lower >= middle { return right._withUnsafeGuaranteedRef { $0.part(lower - middle, upper - middle) } }
    return DataNode.join(
      left._withUnsafeGuaranteedRef { $0.part(lower, middle) }, right._withUnsafeGuaranteedRef { $0.part(0, upper - middle) })
  }
}
