import Hummingbird
import NIOCore

/// The context of a request.
struct AppContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the client: see ``ClientAddress``.
    var remoteAddress: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress?.ipAddress
    }

    /// Forms are short, and there are no uploads.
    var maxUploadSize: Int { 64 * 1_024 }
}
