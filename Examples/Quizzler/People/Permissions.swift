import Foundation
import Hummingbird

/// How much of a class a person may see.
enum ClassView {
    /// For its teachers and the organization's administrators: everyone in it, with grades and email addresses.
    case whole
    /// For its pupils: the teachers, and the first names of the pupils.
    case classmates
}

extension Connection {
    private static let visitorLifetime: TimeInterval = 86_400

    /// Whether the visitor may see all of the organization, start a sync and disconnect it. Administrators who are
    /// signed in may, and for one day the person who connected it, in the same browser. Other staff do not need to see
    /// every pupil.
    func isManaged(by context: QuizzlerContext, at time: Date) -> Bool {
        if Member(context.person, of: self)?.isAdministrator == true { return true }
        return visitorKey == context.visitorKey && time < connectedAt.addingTimeInterval(Self.visitorLifetime)
    }

    /// Nil if the visitor may not see the class.
    func view(ofClass id: String, for context: QuizzlerContext, at time: Date) -> ClassView? {
        guard let rosterClass = roster?.classes[id] else { return nil }
        if isManaged(by: context, at: time) { return .whole }
        guard let member = Member(context.person, of: self) else { return nil }
        if rosterClass.teacherIDs.contains(member.id) { return .whole }
        return rosterClass.pupilIDs.contains(member.id) ? .classmates : nil
    }
}

extension ConnectionStore {
    /// The connection whose id is in the path.
    /// - Throws: `PageError.notFound`
    func connection(in context: QuizzlerContext) throws -> Connection {
        guard let connection = connection(try context.id("organization")) else { throw PageError.notFound }
        return connection
    }

    /// The connection whose id is in the path, if the visitor may see and change all of it.
    /// - Throws: `PageError.notFound`, also if the visitor may not see it; `PageError.notSignedIn`
    func managedConnection(in context: QuizzlerContext, at time: Date) throws -> Connection {
        let connection = try connection(in: context)
        guard connection.isManaged(by: context, at: time) else { throw context.refusal }
        return connection
    }
}

extension QuizzlerContext {
    /// The error for a visitor who may not see a page. For a person who is signed in it does not reveal whether the
    /// page exists.
    var refusal: PageError { person == nil ? .notSignedIn : .notFound }
}
