import Hummingbird
import NIOCore

/// What travels with a request.
struct AppContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Of whoever asks: see ``ClientAddress``.
    var remoteAddress: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress?.ipAddress
    }

    /// Forms are short; nobody sends pictures here.
    var maxUploadSize: Int { 64 * 1_024 }
}
