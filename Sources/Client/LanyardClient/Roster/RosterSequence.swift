import LanyardAPI

/// A list of the roster, read page by page while it is iterated.
public struct RosterSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// One page, and the token of the next one; nil for the last page.
    struct Part: Sendable {
        let elements: [Element]
        let nextPageToken: String?
    }

    let part: @Sendable (_ pageToken: String?) async throws -> Part

    public func makeAsyncIterator() -> Iterator {
        Iterator(part: part)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let part: @Sendable (_ pageToken: String?) async throws -> Part
        private var elements: ArraySlice<Element> = []
        private var pageToken: String?
        private var seenPageTokens: Set<String> = []
        private var isFinished = false

        init(part: @escaping @Sendable (_ pageToken: String?) async throws -> Part) {
            self.part = part
        }

        /// Nil after the last element, and after an error.
        public mutating func next() async throws -> Element? {
            while elements.isEmpty, !isFinished {
                isFinished = true  // stays so if the next line throws
                let next = try await part(pageToken)
                if let token = next.nextPageToken, !seenPageTokens.insert(token).inserted {
                    throw LanyardClientError.unexpectedAnswer(
                        status: 200, "a page token has come before: the pages go round in a circle", requestID: nil)
                }
                elements = next.elements[...]
                pageToken = next.nextPageToken
                isFinished = pageToken == nil
            }
            return elements.popFirst()
        }
    }
}

/// The common interface of the three kinds of page.
protocol RosterPage: Decodable, Sendable {
    associatedtype Element: Sendable
    var elements: [Element] { get }
    var moreToFollow: Bool { get }
    var nextPageToken: String? { get }
}

extension Users: RosterPage {
    var elements: [User] { users }
}

extension Classes: RosterPage {
    var elements: [RosterClass] { classes }
}

extension Locations: RosterPage {
    var elements: [Location] { locations }
}

extension RosterSequence.Part {
    /// - Throws: if more is to follow but there is no token to ask for it. Ending the list there would be worse than an
    ///   error: an app would take everyone after that point for gone.
    init<Page: RosterPage>(_ page: Page) throws where Page.Element == Element {
        if page.moreToFollow, page.nextPageToken == nil {
            throw LanyardClientError.unexpectedAnswer(
                status: 200, "more is to follow, but there is no page token", requestID: nil)
        }
        elements = page.elements
        nextPageToken = page.moreToFollow ? page.nextPageToken : nil
    }
}
