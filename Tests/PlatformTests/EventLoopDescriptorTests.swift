import Glibc
import Platform
import Synchronization
import Testing

@Suite("the event loop's descriptors")
struct EventLoopDescriptorTests {
    @Test("a handler is called while there is something to read, and says when the peer is gone")
    func readable() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        let number = pipe.read.number
        pipe.write.write("ab")
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: .readable) { readiness in
                guard readiness.contains(.readable) else {
                    user.note(readiness == .hungUp ? "hung up" : "\(readiness.rawValue)")
                    return watch.map(user.loop.unwatch) ?? ()
                }
                var byte: UInt8 = 0
                _ = Glibc.read(number, &byte, 1)
                user.note("byte \(byte)")
            }
        }
        #expect(await user.first(2) == ["byte 97", "byte 98"])
        // Nothing can be written any more: the pipe's other end is gone, though its number stays.
        pipe.write.replaceByNothing()
        #expect(await user.first(3).last == "hung up")
    }

    @Test("a watch can be changed to wait for something else, and for nothing")
    func change() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        let number = pipe.write.number
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: []) { readiness in
                user.note(readiness == .writable ? "writable" : "other")
                if let watch { user.loop.change(watch, to: []) }
            }
            if let watch { user.loop.change(watch, to: .writable) }
            _ = user.loop.after(.milliseconds(10)) { user.note("timer") }
        }
        #expect(await user.first(2) == ["writable", "timer"])
    }

    private final class Watches: Sendable {
        private let all = Mutex<[EventLoop.WatchID]>([])

        func add(_ watch: EventLoop.WatchID) { all.withLock { $0.append(watch) } }

        func endAll(on loop: EventLoop) {
            for watch in all.withLock({ $0 }) { loop.unwatch(watch) }
        }
    }

    @Test("an event that was waiting when its watch ended reaches nobody")
    func staleEvent() async throws {
        let user = try LoopUser()
        let first = try Descriptor.pipe()
        let second = try Descriptor.pipe()
        first.write.write("x")
        second.write.write("x")
        let numbers = (first.read.number, second.read.number)
        let watches = Watches()
        try await user.run { user in
            // Both are ready before the loop looks, so one wait brings both events, and whichever
            // is first ends the watch of the other.
            for number in [numbers.0, numbers.1] {
                let watch = try user.loop.watch(number, for: .readable) { _ in
                    user.note("watch")
                    watches.endAll(on: user.loop)
                }
                watches.add(watch)
            }
            _ = user.loop.after(.milliseconds(10)) { user.note("timer") }
        }
        #expect(await user.first(2) == ["watch", "timer"])
    }

    @Test("a descriptor that is closed and opened anew is not taken for the old one")
    func reusedNumber() async throws {
        let user = try LoopUser()
        let steady = try Descriptor.pipe()
        steady.write.write("x")
        let number = steady.read.number
        try await user.run { user in
            var old: EventLoop.WatchID?
            // The duplicate gets the number that closing it frees again.
            let duplicate = dup(number)
            old = try user.loop.watch(duplicate, for: .readable) { _ in user.note("old") }
            if let old { user.loop.unwatch(old) }
            close(duplicate)
            let again = dup(number)
            #expect(again == duplicate)
            var new: EventLoop.WatchID?
            new = try user.loop.watch(again, for: .readable) { _ in
                user.note("new")
                if let new { user.loop.unwatch(new) }
                close(again)
            }
            if let old { user.loop.unwatch(old) }
        }
        #expect(await user.first(1) == ["new"])
    }

    @Test("a handler may end its own watch and begin another")
    func unwatchWithin() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        pipe.write.write("x")
        let number = pipe.read.number
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: .readable) { _ in
                user.note("first")
                if let watch { user.loop.unwatch(watch) }
                watch = try? user.loop.watch(number, for: .readable) { _ in
                    user.note("second")
                    if let watch { user.loop.unwatch(watch) }
                }
            }
        }
        #expect(await user.first(2) == ["first", "second"])
    }

    @Test("a descriptor that can't be watched is an error that names the call")
    func unwatchable() async throws {
        let user = try LoopUser()
        let error = await user.run { user -> SystemError? in
            do throws(SystemError) {
                _ = try user.loop.watch(9999, for: .readable) { _ in }
                return nil
            } catch {
                return error
            }
        }
        #expect(error == SystemError("epoll_ctl", "", code: EBADF))
        #expect(error?.description == "epoll_ctl: Bad file descriptor")
    }
}
