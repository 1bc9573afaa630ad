import Foundation

/// Text as people look for it: neither case nor accents matter. It is compared in Swift, because neither database folds the
/// case of every script. People are found by an index of their own.
enum FoldedText {
    /// Whether one of the values has the text in it.
    static func isIn(_ values: [String?], _ text: String) -> Bool {
        values.compactMap(\.self).joined(separator: "\n")
            .range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
}
