import CPostgres
import Foundation

/// A connection string taken apart, to hand it to a program of PostgreSQL without a secret on its command line.
package struct PostgresAddress: Equatable, Sendable {
    /// For the program's environment, such as `PGPASSWORD`.
    package let environment: [String: String]
    /// What has no variable, such as the keepalives, as a connection string without secrets. It names the database.
    package let connectionString: String
    /// Which database it names, whoever opens it.
    package let place: Place

    /// Where a database is: without the user, the password and how the connection is made. With another password it is still the same one.
    package struct Place: Equatable, Sendable {
        /// In lower case.
        let host: String
        let address: String
        let port: String
        let database: String
        /// A section of the file of services, which can say any of the above.
        let service: String
        /// What the server is told at first, such as which schema has the tables.
        let options: String
    }

    /// - Parameter location: as libpq takes it, `postgres://user:password@host/database`.
    /// - Throws: ``DatabaseError/unavailable(_:)`` if it is no connection string, or has a secret for which there is no variable.
    package init(_ location: String) throws {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(location, &message) else {
            let reason = message.map { String(cString: $0).trimmingCharacters(in: .whitespacesAndNewlines) }
            PQfreemem(message)
            throw DatabaseError.unavailable(reason ?? "out of memory")
        }
        defer { PQconninfoFree(options) }
        place = Place(Self.values(of: options))
        var environment: [String: String] = [:]
        var rest = ["fallback_application_name='lanyard'"]
        var option = options
        while let keyword = option.pointee.keyword.map({ String(cString: $0) }) {
            defer { option += 1 }
            guard let value = option.pointee.val.map({ String(cString: $0) }) else { continue }
            if keyword != "dbname", let variable = option.pointee.envvar.map({ String(cString: $0) }) {
                environment[variable] = value
                continue
            }
            // libpq marks secrets so, for dialogs that hide what is typed.
            guard !(option.pointee.dispchar.map { String(cString: $0).hasPrefix("*") } ?? false) else {
                throw DatabaseError.unavailable("\(keyword) cannot be in the address; leave it to ~/.pgpass or a file")
            }
            let escaped = value.replacingOccurrences(of: #"\"#, with: #"\\"#).replacingOccurrences(
                of: "'", with: #"\'"#)
            rest.append("\(keyword)='\(escaped)'")
        }
        self.environment = environment
        connectionString = rest.joined(separator: " ")
    }

    /// The values of options by their keywords, without those that are not given.
    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// What libpq takes where an address leaves something out.
    fileprivate static var defaults: [String: String] {
        guard let options = PQconndefaults() else { return [:] }
        defer { PQconninfoFree(options) }
        return values(of: options)
    }
}

extension PostgresAddress.Place {
    fileprivate init(_ given: [String: String]) {
        let defaults = PostgresAddress.defaults
        func value(_ keyword: String) -> String? { given[keyword] ?? defaults[keyword] }
        host = (value("host") ?? "").lowercased()
        address = value("hostaddr") ?? ""
        port = value("port") ?? ""
        database = given["dbname"] ?? defaults["dbname"] ?? value("user") ?? ""
        service = value("service") ?? ""
        options = value("options") ?? ""
    }
}
