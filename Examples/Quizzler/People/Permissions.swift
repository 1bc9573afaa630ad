import Foundation
import Hummingbird

/// How much of a class somebody sees.
enum ClassView {
    /// Everyone in it with grades and addresses: for its teachers, and the organization's administrators.
    case whole
    /// Teachers, and the first names of the pupils: for the pupils.
    case classmates
}

extension Connection {
    private static let visitorLifetime: TimeInterval = 86_400

    /// Whether somebody may see all of the organization, ask for a sync and disconnect it: administrators who have signed
    /// in, and for a day whoever connected it, in the same browser. Other staff have no need to see every pupil.
    func isManaged(by context: QuizzlerContext, at time: Date) -> Bool {
        if Member(context.person, of: self)?.isAdministrator == true { return true }
        return visitorKey == context.visitorKey && time < connectedAt.addingTimeInterval(Self.visitorLifetime)
    }

    /// Nil for whom the class is none of their business.
    func view(ofClass id: String, for context: QuizzlerContext, at time: Date) -> ClassView? {
        guard let rosterClass = roster?.classes[id] else { return nil }
        if isManaged(by: context, at: time) { return .whole }
        guard let member = Member(context.person, of: self) else { return nil }
        if rosterClass.teacherIDs.contains(member.id) { return .whole }
        return rosterClass.pupilIDs.contains(member.id) ? .classmates : nil
    }
}

extension ConnectionStore {
    /// The connection that the path names.
    /// - Throws: `PageError.notFound`
    func connection(in context: QuizzlerContext) throws -> Connection {
        guard let connection = connection(try context.id("organization")) else { throw PageError.notFound }
        return connection
    }

    /// The connection that the path names, for who may see and change all of it.
    /// - Throws: `PageError.notFound` also for who may not, `PageError.notSignedIn`
    func managedConnection(in context: QuizzlerContext, at time: Date) throws -> Connection {
        let connection = try connection(in: context)
        guard connection.isManaged(by: context, at: time) else { throw context.refusal }
        return connection
    }
}

extension QuizzlerContext {
    /// Why there is no page for this person: they are nobody yet, or it is not for them, of which nothing is said.
    var refusal: PageError { person == nil ? .notSignedIn : .notFound }
}
