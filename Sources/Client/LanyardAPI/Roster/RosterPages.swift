// One page of each list. The three differ in the name of their array only, which the wire fixes.

/// A page of `/users` or `/classes/{id}/users`.
public struct Users: Codable, Equatable, Sendable {
    public var users: [User]
    /// Whether to ask again, with `nextPageToken` as the query parameter `pageToken`.
    public var moreToFollow: Bool
    public var nextPageToken: String?

    public init(users: [User], nextPageToken: String? = nil) {
        self.users = users
        self.moreToFollow = nextPageToken != nil
        self.nextPageToken = nextPageToken
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        users = try container.decodeIfPresent([User].self, forKey: .users) ?? []
        moreToFollow = try container.decodeIfPresent(Bool.self, forKey: .moreToFollow) ?? false
        nextPageToken = try container.decodeIfPresent(String.self, forKey: .nextPageToken)
    }
}

/// A page of `/classes`.
public struct Classes: Codable, Equatable, Sendable {
    public var classes: [RosterClass]
    /// Whether to ask again, with `nextPageToken` as the query parameter `pageToken`.
    public var moreToFollow: Bool
    public var nextPageToken: String?

    public init(classes: [RosterClass], nextPageToken: String? = nil) {
        self.classes = classes
        self.moreToFollow = nextPageToken != nil
        self.nextPageToken = nextPageToken
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        classes = try container.decodeIfPresent([RosterClass].self, forKey: .classes) ?? []
        moreToFollow = try container.decodeIfPresent(Bool.self, forKey: .moreToFollow) ?? false
        nextPageToken = try container.decodeIfPresent(String.self, forKey: .nextPageToken)
    }
}

/// A page of `/locations`.
public struct Locations: Codable, Equatable, Sendable {
    public var locations: [Location]
    /// Whether to ask again, with `nextPageToken` as the query parameter `pageToken`.
    public var moreToFollow: Bool
    public var nextPageToken: String?

    public init(locations: [Location], nextPageToken: String? = nil) {
        self.locations = locations
        self.moreToFollow = nextPageToken != nil
        self.nextPageToken = nextPageToken
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        locations = try container.decodeIfPresent([Location].self, forKey: .locations) ?? []
        moreToFollow = try container.decodeIfPresent(Bool.self, forKey: .moreToFollow) ?? false
        nextPageToken = try container.decodeIfPresent(String.self, forKey: .nextPageToken)
    }
}
