/// The columns of one statement, by name.
///
/// Rows are read by name, usually in the order of the columns. So each name is searched for only once; afterwards the
/// column after the previous one is tried first, and comparing the addresses of two string literals confirms it. An
/// instance belongs to the thread of its connection and is not safe to share.
final class ColumnNames {
    private let names: [String]
    /// For each column, the address of the string literal under which it was found. A literal keeps its address for as
    /// long as the program runs.
    @exclusivity(unchecked) private var literals: [UnsafePointer<UInt8>?]
    @exclusivity(unchecked) private var next = 0

    init(_ names: [String]) {
        self.names = names
        literals = Array(repeating: nil, count: max(names.count, 1))
    }

    /// - Throws: ``DatabaseError/unexpectedValue(_:)`` unless exactly one column has this name.
    func index(of name: StaticString) throws -> Int32 {
        let literal = name.utf8Start
        var index = next
        if literals[index] != literal { index = try find(name, literal) }
        next = index + 1 == literals.count ? 0 : index + 1
        return Int32(truncatingIfNeeded: index)
    }

    private func find(_ name: StaticString, _ literal: UnsafePointer<UInt8>) throws -> Int {
        if let known = literals.firstIndex(of: literal) { return known }
        let text = name.description
        let indices = names.indices.filter { names[$0] == text }
        guard let index = indices.first, indices.count == 1 else {
            throw DatabaseError.unexpectedValue(
                "\(indices.count) columns of the result are called “\(text)”: \(names.joined(separator: ", "))")
        }
        literals[index] = literal
        return index
    }
}
