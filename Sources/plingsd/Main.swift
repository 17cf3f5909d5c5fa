internal import Station

@main
struct Main {
    static func main() {
        Daemon.run(CommandLine.arguments)
    }
}
