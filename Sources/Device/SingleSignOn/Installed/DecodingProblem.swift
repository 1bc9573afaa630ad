import Ground

/// Where JSON is wrong, in a few words.
package struct DecodingProblem: CustomStringConvertible {
    package let description: String

    package init(_ error: any Error) {
        func place(_ path: [any CodingKey]) -> String {
            path.map(\.stringValue).joined(separator: ".").inOneLine(scalarsMax: 500)
        }
        description =
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                "“\(place(context.codingPath + [key]))” is missing"
            case DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty: "it is no JSON object"
            case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
                "“\(place(context.codingPath))” is of another type"
            case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
                "“\(place(context.codingPath))” cannot be read"
            default: "it is not JSON"
            }
    }
}
