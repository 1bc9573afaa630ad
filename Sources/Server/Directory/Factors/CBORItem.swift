import CFido2
import Foundation

/// An item of CBOR (RFC 8949), as libcbor reads it.
final class CBORItem {
    private let item: UnsafeMutablePointer<cbor_item_t>
    /// How many bytes the item takes.
    let byteCount: Int

    /// Reads the item at the beginning of the bytes.
    /// - Returns: nil if they do not begin with one, or ``CBORExtent`` has something against it.
    init?(startOf bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard let extent = CBORExtent(startOf: bytes) else { return nil }
        var result = cbor_load_result()
        guard let item = cbor_load(bytes, bytes.count, &result) else { return nil }
        self.item = item
        byteCount = result.read
        guard byteCount == extent.byteCount else { return nil }
    }

    deinit {
        var item: UnsafeMutablePointer<cbor_item_t>? = item
        cbor_decref(&item)
    }

    var isMap: Bool { cbor_isa_map(item) }

    /// The number of members of a map.
    var count: Int { isMap ? cbor_map_size(item) : 0 }

    /// The text of a member of a map; nil if there is no such member, or it is no text in one piece.
    func text(_ key: String) -> String? {
        value { Self.text(of: $0) == key }.flatMap { Self.text(of: $0) }
    }

    /// The bytes of a member of a map; nil if there is no such member, or it is no string of bytes in one piece.
    func bytes(_ key: String) -> [UInt8]? {
        value { Self.text(of: $0) == key }.flatMap { value in
            guard cbor_isa_bytestring(value), cbor_bytestring_is_definite(value) else { return nil }
            return Array(
                UnsafeBufferPointer(start: cbor_bytestring_handle(value), count: cbor_bytestring_length(value)))
        }
    }

    /// The number of a member of a map.
    func number(_ key: String) -> Int? { value { Self.text(of: $0) == key }.flatMap { Self.number(of: $0) } }

    /// The number of a member whose key is a number.
    func number(_ key: Int) -> Int? { value { Self.number(of: $0) == key }.flatMap { Self.number(of: $0) } }

    /// A member of a map as CBOR of its own.
    func encoded(_ key: String) -> [UInt8]? {
        value { Self.text(of: $0) == key }.flatMap { value in
            var (start, size): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
            let count = cbor_serialize_alloc(value, &start, &size)
            defer { free(start) }
            return count == 0 ? nil : Array(UnsafeBufferPointer(start: start, count: count))
        }
    }

    private func value(
        where isWanted: (UnsafeMutablePointer<cbor_item_t>) -> Bool
    ) -> UnsafeMutablePointer<cbor_item_t>? {
        guard isMap, let members = cbor_map_handle(item) else { return nil }
        for index in 0..<cbor_map_size(item) {
            if let key = members[index].key, isWanted(key) { return members[index].value }
        }
        return nil
    }

    private static func text(of item: UnsafeMutablePointer<cbor_item_t>) -> String? {
        guard cbor_isa_string(item), cbor_string_is_definite(item) else { return nil }
        let bytes = UnsafeBufferPointer(start: cbor_string_handle(item), count: cbor_string_length(item))
        return String(validating: bytes, as: UTF8.self)
    }

    private static func number(of item: UnsafeMutablePointer<cbor_item_t>) -> Int? {
        guard cbor_isa_uint(item) || cbor_isa_negint(item), let magnitude = Int(exactly: cbor_get_int(item)) else {
            return nil
        }
        return cbor_isa_negint(item) ? -1 - magnitude : magnitude
    }
}
