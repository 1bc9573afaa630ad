import Administration
import Authorization
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore

/// A form with files, which arrive one piece after the other: its fields come first, so that it can be refused before a
/// file is read.
final class Upload {
    /// Why the form was not read to its end.
    enum Failure: Error {
        /// The answer says why; it completes the sentence "The form …".
        case malformed(reason: String)
        case tooLarge(bytesMax: Int)
    }

    /// Fields are as short as those of other forms.
    private static let fieldBytesMax = 64 << 10

    private var reader: MultipartReader
    private var pieces: RequestBody.AsyncIterator
    private let bytesMax: Int
    private var bytes = 0
    private var events: ArraySlice<MultipartReader.Event> = []

    /// - Parameter bytesMax: how long the whole body may be.
    /// - Throws: ``Failure``
    init(_ request: Request, bytesMax: Int) throws {
        guard let reader = MultipartReader(contentType: request.headers[.contentType] ?? "") else {
            throw Failure.malformed(reason: "is not of the type multipart/form-data")
        }
        // A browser says so at once, and nothing of it has to be read.
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > bytesMax {
            throw Failure.tooLarge(bytesMax: bytesMax)
        }
        self.reader = reader
        self.bytesMax = bytesMax
        pieces = request.body.makeAsyncIterator()
    }

    /// What comes next; nil at the end of the body.
    private func next() async throws -> MultipartReader.Event? {
        while events.isEmpty {
            guard let piece = try await pieces.next() else {
                guard reader.isComplete else { throw MultipartReader.Malformed.incomplete }
                return nil
            }
            bytes += piece.readableBytes
            guard bytes <= bytesMax else { throw Failure.tooLarge(bytesMax: bytesMax) }
            events = try reader.read(piece.readableBytesView)[...]
        }
        return events.removeFirst()
    }

    /// The fields before the first file.
    /// - Throws: ``Failure``
    func fields() async throws -> RequestParameters {
        try await naming {
            var fields: [FormField] = []
            var length = 0
            while let event = try await $0.next() {
                guard case .part(let name, nil) = event else {
                    $0.events = [event] + $0.events
                    break
                }
                var value: [UInt8] = []
                while case .bytes(let bytes) = try await $0.next() {
                    length += bytes.count
                    guard length <= Self.fieldBytesMax else {
                        throw Failure.malformed(reason: "has fields longer than \(Self.fieldBytesMax) bytes")
                    }
                    value += bytes
                }
                guard let text = String(validating: value, as: UTF8.self) else {
                    throw Failure.malformed(reason: "has a field that is not UTF-8")
                }
                fields.append(FormField(name, text.replacing("\r\n", with: "\n")))
            }
            return RequestParameters(fields)
        }
    }

    /// Hands over the files that follow. Fields between them are left out, and so are empty file fields.
    /// - Throws: ``Failure``, and what the closures throw
    func files(
        begin: (_ name: String) throws -> Void, append: (_ bytes: UnsafeRawBufferPointer) throws -> Void,
        end: () throws -> Void
    ) async throws {
        try await naming {
            var isFile = false
            while let event = try await $0.next() {
                switch event {
                case .part(_, let file):
                    isFile = file?.isEmpty == false
                    if isFile { try begin(file ?? "") }
                case .bytes(let bytes): if isFile { try bytes.withUnsafeBytes(append) }
                case .endOfPart: if isFile { try end() }
                }
            }
        }
    }

    private func naming<Value>(_ body: (Upload) async throws -> Value) async throws -> Value {
        do {
            return try await body(self)
        } catch let malformed as MultipartReader.Malformed {
            throw Failure.malformed(reason: malformed.reason)
        }
    }
}

extension Upload.Failure {
    /// What a page says of it.
    var refusal: OperationFailure {
        switch self {
        case .malformed(let reason): OperationFailure(.invalid, "The form \(reason).")
        case .tooLarge(let bytesMax):
            OperationFailure(
                .invalid, "What was sent is larger than \(bytesMax >> 20) MB. Choose a smaller file, or fewer of them.")
        }
    }
}
