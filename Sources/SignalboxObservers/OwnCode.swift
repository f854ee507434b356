// OwnCode.swift: marks this module's code as Signalbox's: reports tell by that whose a function is (CodeMarks in
// SignalboxSystem).
@used @section("signalbox_code")
private let ownCode: @convention(c) @Sendable () -> Void = {}
