import Foundation
import Ground

// The JSON of operations and their answers: times in ISO 8601, keys in order.

extension JSONEncoder {
    package static var administration: JSONEncoder {
        let encoder = JSONEncoder.stable
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}

extension JSONDecoder {
    package static var administration: JSONDecoder {
        let decoder = JSONDecoder()
        // Foundation's own strategy does not say which value it cannot read.
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "no time such as 2026-08-01T07:30:00Z"))
            }
            return date
        }
        return decoder
    }
}
