internal import Glibc
internal import StationClient

@main
struct Main {
    static func main() {
        exit(Plingsctl.run(CommandLine.arguments))
    }
}
