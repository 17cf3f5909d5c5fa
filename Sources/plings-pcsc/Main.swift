import PCSCReader

@main
struct Main {
    static func main() {
        PCSCProgram.run()
    }
}
