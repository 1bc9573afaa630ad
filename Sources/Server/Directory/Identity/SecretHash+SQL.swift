import Ground
import Storage

extension SecretHash: SQLConvertible {
    package var sqlValue: SQLValue { .blob(bytes) }
    package init(column: Column) throws { self.init(stored: try column.blob()) }
}
