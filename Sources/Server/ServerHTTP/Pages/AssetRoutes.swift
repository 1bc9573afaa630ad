import HTTPTypes
import Hummingbird
import NIOCore
import ServerPages

/// The style sheet and scripts. Their addresses change with their content, so browsers may keep them for ever.
struct AssetRoutes: Sendable {
    let assets: [Asset]

    func mount(on router: some RouterMethods<AppContext>) {
        for asset in assets {
            router.get(RouterPath(asset.path)) { _, _ in
                Response(
                    status: .ok,
                    headers: [
                        .contentType: asset.contentType,
                        .cacheControl: "public, max-age=31536000, immutable",
                    ],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
            }
        }
    }
}
