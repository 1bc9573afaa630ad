extension Sequence where Element: RawRepresentable<String> {
    /// The raw values as SQL has them behind `IN`, such as `'instructor', 'staff'`. They are written in the source code, so
    /// there is nothing in them to escape.
    var sqlList: String { map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ") }
}
