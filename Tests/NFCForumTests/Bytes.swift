import Scanning
import Testing

/// Bytes written as hexadecimal digits, white space for the eye.
func bytes(_ hex: String) -> [UInt8] {
    guard let bytes = Hex.decode(String(hex.filter { !$0.isWhitespace })) else {
        Issue.record("not hexadecimal: \(hex)")
        return []
    }
    return bytes
}
