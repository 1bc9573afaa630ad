import Administration
import AdministrationExamples
import Directory
import Testing

extension Scene {
    /// Has somebody carry the example out on the pupil, and looks at what the trail has then: something by whoever may, and one
    /// refusal of whoever may not.
    /// - Parameter isShutOut: Whether nobody like this person is let in at all, which the trail does not note.
    func attempt(_ example: Example, by person: Person, isAllowed: Bool, isShutOut: Bool = false) async throws {
        let before = try await trail()
        do {
            _ = try await example.perform(administrator(.person(person.id)), pupil, self)
            #expect(isAllowed, "\(person.userName) may \(example.name)")
            let news = try await news(since: before)
            #expect(!news.isEmpty && news.allSatisfy { $0.hasPrefix("person:\(person.id.rawValue) ") }, "\(news)")
        } catch OperationError.signedOut where isShutOut {
            #expect(!isAllowed)
            #expect(try await trail() == before)
        } catch OperationError.forbidden {
            #expect(!isAllowed, "\(person.userName) may not \(example.name)")
            let news = try await news(since: before)
            #expect(news.count == 1 && news.allSatisfy { $0.contains("administration.refused") }, "\(news)")
        }
    }
}
