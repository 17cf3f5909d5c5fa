internal import TestRig
internal import Testing

@Test("every program loads the libraries it was made for and no others")
func programsLoadTheirLibraries() async throws {
    let programs = try await Manifest.current().programs
    #expect(Set(programs) == Set(SharedLibraries.station.table.keys))
    for program in programs {
        let output = try await Command.output("ldd", Repository.program(program))
        let loaded = SharedLibraries.parse(output)
        try #require(loaded.contains { $0.stem == "swiftCore" }, "\(program): \(output)")
        let complaints = try await SharedLibraries.station.complaints(
            about: program, loading: loaded
        ) { library in
            SharedLibraries.parse(try await Command.output("ldd", library.path ?? library.name))
        }
        #expect(complaints == [])
    }
}

@Test("a planted library is told")
func plantedLibrary() async {
    let loaded = SharedLibraries.parse(
        """
        \tlinux-vdso.so.1 (0x00007ffd)
        \tlibpcsclite.so.1 => /lib/x86_64-linux-gnu/libpcsclite.so.1 (0x00007f01)
        \tlibpcsclite_real.so.1 => /lib/x86_64-linux-gnu/libpcsclite_real.so.1 (0x00007f01)
        \tlibcurl.so.4 => /lib/x86_64-linux-gnu/libcurl.so.4 (0x00007f02)
        \tlibFoundation.so => not found
        \tlibswift_Concurrency.so => /opt/lib/libswift_Concurrency.so (0x00007f03)
        \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f04)
        \t/lib64/ld-linux-x86-64.so.2 (0x00007f05)
        """)
    let needs = ["pcsclite": SharedLibraries.parse("libpcsclite_real.so.1 => /lib/b (0x1)")]
    let complaints = await SharedLibraries.station.complaints(
        about: "plings-pcsc", loading: loaded
    ) { needs[$0.stem] ?? [] }
    #expect(
        complaints == [
            "plings-pcsc loads libcurl.so.4; of libraries it may load pcsclite",
            "plings-pcsc loads libFoundation.so; of libraries it may load pcsclite",
        ])
    let others = await SharedLibraries.station.complaints(about: "plingsctl", loading: loaded) {
        _ in []
    }
    #expect(
        others.first == "plingsctl loads libpcsclite.so.1; "
            + "of libraries it may load curl")
}
