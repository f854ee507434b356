// DataFormats.swift: bringing data from one format into another. The codes are SignalboxDispatch's.
import CSignalboxABI
@_spi(Formats) import SignalboxDispatch

/// The data in the format `output`; NULL if it is not in the format `input`, or if no way leads from there to `output`.
@c(dispatch_data_create_with_transform)
public func dispatch_data_create_with_transform(
  _ data: Handle?, _ input: UnsafeRawPointer?, _ output: UnsafeRawPointer?
) -> Handle? {
  DataFormat.transform(data.dispatchData(), from: format(input), to: format(output))?.created()
}

private func format(_ address: UnsafeRawPointer?) -> DataFormat {
  if let format = DataFormat(rawValue: Int(sb_abi_data_format(address))) { return format }
  CFaceSupport.stop(
    "dispatch_data_create_with_transform was given a format at \(address.map { "\($0)" } ?? "NULL") that is none of its own; "
      + "give one of the DISPATCH_DATA_FORMAT_TYPE constants")
}
