import FuzzTargets
import Glibc

/// What libFuzzer calls first: prints the target's words in hexadecimal where they are asked for.
///
/// Source: https://llvm.org/docs/LibFuzzer.html#startup-initialization
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafePointer<CInt>?, _ arguments: UnsafeRawPointer?) -> CInt {
    guard getenv("PLINGS_FUZZ_WORDS") != nil else { return 0 }
    for word in chosen.dictionary {
        let digits = word.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        print("word \(digits.joined())")
    }
    exit(0)
}

/// What libFuzzer calls with each input; the target is named in the environment, since libFuzzer
/// takes the command line for itself.
///
/// Source: https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
        if try chosen.run(input), isPlanted { fatalError("the planted bug was reached") }
    } catch {
        fatalError("\(chosen.name): \(error)")
    }
    return 0
}

private let chosen: FuzzTarget = {
    let name = getenv("PLINGS_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("PLINGS_FUZZ_TARGET names no target: \(name)")
    }
    return target
}()

private let isPlanted = getenv("PLINGS_FUZZ_PLANTED") != nil
