import Testing

@testable import SingleSignOnBroker

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct ProcessDescriptorTests {
    @Test(.timeLimit(.minutes(1))) func `what ended is not alive, whoever has its number`() throws {
        let number = try ChildProgram.spawn("/bin/sleep", ["60"])
        let process = try #require(ProcessDescriptor(number))
        #expect(process.isAlive && ProcessFacts(number, process) != nil)
        #expect(process.signal(SIGKILL))
        var status: Int32 = 0
        #expect(waitpid(number, &status, 0) == number)
        #expect(!process.isAlive && !process.signal(SIGKILL))
        #expect(ProcessDescriptor(number) == nil)
        // A live number with the descriptor of another process, as when a number is used again.
        #expect(ProcessFacts(getpid(), process) == nil)
    }
}
