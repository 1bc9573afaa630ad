import Foundation

/// A value as SQL carries it.
package enum SQLValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// A Swift type that is bound to a `$n` and read from a column.
package protocol SQLConvertible {
    var sqlValue: SQLValue { get }
    init(column: Column) throws
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }
    package init(column: Column) throws {
        self = column.isNull ? nil : try Wrapped(column: column)
    }
}

extension Int64: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self) }
    package init(column: Column) throws { self = try column.integer() }
}

extension Int: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }
    package init(column: Column) throws { self = Int(try column.integer()) }
}

/// 0 or 1: the two databases have no other type for it in common.
extension Bool: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    package init(column: Column) throws { self = try column.integer() != 0 }
}

extension String: SQLConvertible {
    package var sqlValue: SQLValue { .text(self) }
    package init(column: Column) throws { self = try column.text() }
}

extension [UInt8]: SQLConvertible {
    package var sqlValue: SQLValue { .blob(self) }
    package init(column: Column) throws { self = try column.blob() }
}

/// Whole seconds since 1970, UTC.
extension Date: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(timeIntervalSince1970.rounded(.down))) }
    package init(column: Column) throws { self.init(timeIntervalSince1970: Double(try column.integer())) }
}

extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
    package var sqlValue: SQLValue { rawValue.sqlValue }
    package init(column: Column) throws {
        let rawValue = try RawValue(column: column)
        guard let value = Self(rawValue: rawValue) else {
            throw DatabaseError.unexpectedValue("\(rawValue) is no \(Self.self)")
        }
        self = value
    }
}
