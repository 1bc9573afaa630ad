import Foundation

/// A value of one of the types that both databases have.
@usableFromInline package enum SQLValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// A Swift type that can be bound to a parameter `$n` and read from a column.
@usableFromInline package protocol SQLConvertible {
    var sqlValue: SQLValue { get }
    init(column: Column) throws
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { self?.sqlValue ?? .null }
    @inlinable package init(column: Column) throws {
        self = column.isNull ? nil : try Wrapped(column: column)
    }
}

extension Int64: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { .integer(self) }
    @inlinable package init(column: Column) throws { self = try column.integer() }
}

extension Int: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable package init(column: Column) throws { self = Int(try column.integer()) }
}

/// Stored as 0 or 1, because the two databases have no boolean type in common.
extension Bool: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    @inlinable package init(column: Column) throws { self = try column.integer() != 0 }
}

extension String: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { .text(self) }
    @inlinable package init(column: Column) throws { self = try column.text() }
}

extension [UInt8]: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { .blob(self) }
    @inlinable package init(column: Column) throws { self = try column.blob() }
}

/// Stored as whole seconds since 1970, UTC, rounded down.
extension Date: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { .integer(Int64(timeIntervalSince1970.rounded(.down))) }
    @inlinable package init(column: Column) throws { self.init(timeIntervalSince1970: Double(try column.integer())) }
}

extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
    @usableFromInline package var sqlValue: SQLValue { rawValue.sqlValue }
    @inlinable package init(column: Column) throws {
        let rawValue = try RawValue(column: column)
        guard let value = Self(rawValue: rawValue) else { throw DatabaseError.unexpected(rawValue, as: Self.self) }
        self = value
    }
}

extension DatabaseError {
    /// Not inlined, so that nothing of a text stands where values are read.
    @usableFromInline package static func unexpected<RawValue, Value>(
        _ rawValue: RawValue, as type: Value.Type
    ) -> DatabaseError {
        .unexpectedValue("\(rawValue) is no \(type)")
    }
}
