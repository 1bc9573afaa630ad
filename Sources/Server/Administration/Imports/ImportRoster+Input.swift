import Directory
import Foundation
import RosterFiles
import Storage

extension ImportRoster {
    /// What belongs to files besides their content: it decides what importing them means. It is kept with them.
    struct Circumstances: Codable, Equatable, Sendable {
        var term: String?
        /// `LO:` and number of each, in their order; empty for files of the whole organization.
        var schools: [String] = []
        var newPeople: [String] = []
    }

    /// What is imported, from wherever it comes.
    struct Input: Sendable {
        let files: RosterImporter.Files
        let circumstances: Circumstances
        let schools: [LocationID]
    }

    /// Finds the files, and how they are to be imported.
    /// - Throws: ``OperationError``, also for kept files if the caller names another term, other schools or other new
    ///   people than those with which they came
    func input(
        of organization: OrganizationID, _ context: OperationContext, _ database: any Database
    ) async throws -> Input {
        guard schools?.isEmpty != true else {
            // An empty list would mean the whole organization, and whoever sends one hardly means that.
            throw OperationError.invalid(field: "schools", reason: "is an empty list: leave it out for all schools")
        }
        return try await database.read { transaction in
            guard let found = try Organization.find(organization, in: transaction) else {
                throw OperationError.signedOut
            }
            var ids = Set(try (schools ?? []).map { try $0.findSchool(in: found, transaction) }).sorted()
            var circumstances = Circumstances(
                term: term, schools: ids.map { LocationReference($0).text }, newPeople: Set(newPeople ?? []).sorted())
            let place: RosterImporter.Files
            if let path {
                place = RosterImporter.Files(at: path)
            } else if let files {
                let kept = try files.files(of: organization, in: transaction)
                circumstances = try circumstances.matching(try kept.input(context.services, in: transaction))
                ids = try circumstances.schools.map { try LocationReference($0).findSchool(in: found, transaction) }
                place = .init(in: try kept.open(context.services, in: transaction), named: "archive.zip")
            } else {
                place = .init(in: try RosterPackage(archive ?? Data()), named: "archive.zip")
            }
            return Input(files: place, circumstances: circumstances, schools: ids)
        }
    }
}

extension ImportRoster.Circumstances {
    /// The circumstances with which kept files came. Callers may leave them out, or give the same ones again.
    fileprivate func matching(_ kept: Self) throws -> Self {
        func check<Value: Equatable>(_ field: String, _ given: Value, _ came: Value, _ none: Value) throws {
            guard given == none || given == came else {
                throw OperationError.invalid(
                    field: field,
                    reason: "is not the one with which the files came: leave it out to import them as before")
            }
        }
        try check("term", term, kept.term, nil)
        try check("list of schools", schools, kept.schools, [])
        try check("list of new people", newPeople, kept.newPeople, [])
        return kept
    }
}
