import Hummingbird
import ServerPages

/// The style sheet and scripts. Their addresses change with their content, so browsers may keep them for ever.
struct AssetRoutes: Sendable {
    let assets: [Asset]

    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        for asset in assets {
            let file = PublicFile(
                asset.bytes, contentType: asset.contentType, cacheControl: "public, max-age=31536000, immutable",
                isForAllSites: false)
            standing.serve(asset.path, on: router, file.answer)
        }
    }
}
