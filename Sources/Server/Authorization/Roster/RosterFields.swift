import Directory

extension RosterCall {
    fileprivate static let fieldsOfUsers = [
        "id", "email", "givenName", "middleName", "familyName", "grade", "roles", "roleLocationMapping", "dateCreated",
        "dateLastModified",
    ]

    /// What the list tells about a person, by the names on the wire. A field that a person does not have is left out
    /// there. A test compares it with what the server sends.
    package var fieldsOfPeople: [String] {
        switch list {
        case .users, .user, .usersOfClass: Self.fieldsOfUsers
        // A class has its people by the ids that the app's team knows them by, and without names.
        case .classes, .class: ["instructorIds", "studentIds"]
        }
    }
}

extension RosterPerson {
    /// The fields that the list of people has for this person, by the names on the wire.
    package var fieldsOnTheWire: [String] {
        RosterCall.fieldsOfUsers.filter { field in
            switch field {
            case "email": email?.isEmpty == false
            case "givenName": !givenName.isEmpty
            case "middleName": middleName?.isEmpty == false
            case "familyName": !familyName.isEmpty
            case "grade": grade?.isEmpty == false && roles.contains { $0.role == .student }
            default: true
            }
        }
    }
}
