import Dispatch
import Fixtures
import TestSupport
import Testing
@testable import Directory
@testable import TestServers

/// What people see while too many passwords wait to be checked.
@Suite struct BusyPagesTests {
    @Test("every form stays, with what was typed, and nothing is counted", arguments: TestDatabase.available)
    func everyForm(_ kind: TestDatabase) async throws {
        let hasher = PasswordHasher(cost: .low, width: 1, waitingMax: 1)
        try await TestServer.withMail(on: kind, hasher: { _ in hasher }) { server in
            let (browser, guest) = (server.browser(), server.browser())
            _ = try await server.signUp(in: browser)
            let email = try await browser.get("/account/email")
            let password = try await browser.get("/account/password")
            let signUp = try await guest.get("/sign-up")
            let verify = try await server.apply(signUp, ["email": "omar@home.example"], in: guest)
            let code = try await server.mailedCode()
            let forgot = try await guest.get("/forgot-password")
            let reset = try await guest.follow(
                guest.submit(forgot.form("/forgot-password"), ["email": "nora@home.example"]))
            let new = try await guest.follow(
                guest.submit(reset.form("/verify-email/"), ["code": server.mailedCode()]))

            // One runs and one waits, and there is no place for more. The first has to run before the second comes, because
            // it waits until then too.
            let (gate, before) = (DispatchSemaphore(value: 0), hasher.queue.broughtCount)
            let (begun, beginning) = AsyncStream<Void>.makeStream()
            async let running: Void = hasher.queue.run(for: .server) {
                beginning.finish()
                _ = gate.wait(timeout: .now() + 60)
            }
            for await _ in begun {}
            async let waiting: Void = hasher.queue.run(for: .server) { _ = gate.wait(timeout: .now() + 60) }
            while hasher.queue.broughtCount < before + 2 { try await Task.sleep(for: .milliseconds(1)) }
            let typed = [
                "given_name": "Omar", "family_name": "Diaz", "email": "typed@home.example", "code": code,
                "current_password": District.password, "new_password": "oak leaf 99",
            ]
            for (form, browser) in [
                (signUp.form("/sign-up"), guest), (forgot.form("/forgot-password"), guest),
                (verify.form("\(verify.path)/again"), guest), (new.form("/forgot-password/"), guest),
                (email.form("/account/email"), browser),
            ] {
                let answer = try await browser.submit(form, typed)
                #expect(answer.status == 503 && answer["Retry-After"] == "30", "\(answer.path)")
                #expect(answer.body.contains("Try again in a few seconds."))
                #expect(
                    answer.body.contains(#"value="typed@home.example""#)
                        == ["/sign-up", "/forgot-password", "/account/email"].contains(answer.path), "\(answer.path)")
            }
            // More often than wrong ones are taken.
            for _ in 0..<6 {
                #expect(try await guest.submit(verify.form("/verify-email/"), typed).status == 503)
                #expect(try await browser.submit(password.form("/account/password"), typed).status == 503)
            }
            for _ in 0..<2 { gate.signal() }
            _ = try await (running, waiting)
            #expect(try await guest.submit(verify.form("/verify-email/"), typed).status == 303)
            #expect(
                try await browser.submit(password.form("/account/password"), typed).location
                    == "/account?done=password")
        }
    }
}
