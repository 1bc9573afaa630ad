import Authorization
import Directory
import HTTPTypes
import Hummingbird
import NIOCore
import ServerPages
import Storage

/// `GET /pictures/{id}.png`: the pictures on badges of organizations and apps. Whoever sees a sign-in page sees them, so that
/// nobody has to be signed in; an id is made from the picture, and cannot be guessed.
struct PictureRoutes: Sendable {
    let database: any Database

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("pictures/{file}") { _, context in
            let file = try context.parameters.require("file")
            guard file.hasSuffix(".png") else { throw PageError.notFound }
            let id = String(file.dropLast(4))
            let bytes = try await database.read {
                try Organization.picture(id, in: $0) ?? App.icon(id, in: $0)
            }
            guard let bytes else { throw PageError.notFound }
            return Response(
                status: .ok,
                headers: [
                    .contentType: "image/png", .cacheControl: "public, max-age=31536000, immutable",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}
