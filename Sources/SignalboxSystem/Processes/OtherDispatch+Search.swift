// OtherDispatch+Search.swift: the other library of this process: searched for as the program is loaded, and kept
// forever.
//
//   bits: 0 not searched for (a program without queues)   1 no other library   else the object
extension OtherDispatch {
  private static let bits = Atomic64(0)

  /// The other library; searched for at the first question.
  public static var here: OtherDispatch? {
    let bits = bits.loadAcquire()  // acquire: the object behind the bits is whole; pairs with the release in search()
    return bits == 0 ? search() : object(bits)
  }

  /// The other library if a search has found it. Searches for nothing.
  public static var found: OtherDispatch? { object(bits.loadAcquire()) }  // acquire: as in `here`

  /// Whether there is another library, as far as anybody has checked. relaxed: a hint, nothing is read through it.
  public static var isFound: Bool { bits.loadRelaxed() > 1 }

  private static func object(_ bits: UInt64) -> OtherDispatch? {
    guard bits > 1, let raw = UnsafeRawPointer(bitPattern: UInt(bits)) else { return nil }
    return Unmanaged<OtherDispatch>.fromOpaque(raw).takeUnretainedValue()
  }

  /// Searches for the other library, again if it was not there: a library may be loaded later.
  @discardableResult @inline(never)
  public static func search() -> OtherDispatch? {
    let old = bits.loadAcquire()  // acquire: as in `here`
    if old > 1 { return object(old) }
    let made = Instruments.isForkedChild ? nil : OtherDispatch()
    let new = made.map { UInt64(UInt(bitPattern: Unmanaged.passRetained($0).toOpaque())) } ?? 1
    // release: publishes the object; pairs with the acquire in `here`. Who comes second gives its own away.
    let swap = bits.casAcqRel(old, new)
    if swap.exchanged { return made }
    if let made { Unmanaged.passUnretained(made).release() }
    return object(swap.original)
  }
}

extension Threads {
  /// Whether the calling thread counts as the main one: the process's first, or the one that runs the other library's
  /// main queue after the first has ended. Asks a library that was found already, as every one is that was there when
  /// the program began (`DispatchLayer`); searches for none.
  public static var countsAsMain: Bool { isMain || OtherDispatch.found?.isCurrent == true }
}
