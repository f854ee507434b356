// Names.swift: the types of the toolchain's Dispatch, as Signalbox has them, each passed on by its name: so that they
// are meant where the toolchain's is imported too. Signalbox.swift tells why. For the two modules that pass them on:
// `Signalbox` and `SignalboxCNames`.
@_exported import SignalboxDispatch
@_exported import struct SignalboxDispatch.DispatchData
@_exported import struct SignalboxDispatch.DispatchDataIterator
@_exported import class SignalboxDispatch.DispatchGroup
@_exported import class SignalboxDispatch.DispatchIO
@_exported import class SignalboxDispatch.DispatchObject
@_exported import enum SignalboxDispatch.DispatchPredicate
@_exported import struct SignalboxDispatch.DispatchQoS
@_exported import class SignalboxDispatch.DispatchQueue
@_exported import class SignalboxDispatch.DispatchSemaphore
@_exported import class SignalboxDispatch.DispatchSource
@_exported import typealias SignalboxDispatch.DispatchSourceHandler
@_exported import protocol SignalboxDispatch.DispatchSourceProtocol
@_exported import protocol SignalboxDispatch.DispatchSourceRead
@_exported import protocol SignalboxDispatch.DispatchSourceSignal
@_exported import protocol SignalboxDispatch.DispatchSourceTimer
@_exported import protocol SignalboxDispatch.DispatchSourceUserDataAdd
@_exported import protocol SignalboxDispatch.DispatchSourceUserDataOr
@_exported import protocol SignalboxDispatch.DispatchSourceUserDataReplace
@_exported import protocol SignalboxDispatch.DispatchSourceWrite
@_exported import class SignalboxDispatch.DispatchSpecificKey
@_exported import struct SignalboxDispatch.DispatchTime
@_exported import enum SignalboxDispatch.DispatchTimeInterval
@_exported import enum SignalboxDispatch.DispatchTimeoutResult
@_exported import struct SignalboxDispatch.DispatchWallTime
@_exported import class SignalboxDispatch.DispatchWorkItem
@_exported import struct SignalboxDispatch.DispatchWorkItemFlags
@_exported import func SignalboxDispatch.dispatchMain
@_exported import func SignalboxDispatch.dispatchPrecondition
