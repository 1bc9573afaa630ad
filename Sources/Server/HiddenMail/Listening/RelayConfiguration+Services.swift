import Ground
import Logging
import ServiceLifecycle
import Storage

extension RelayConfiguration {
    /// The services that answer the mail server, one for each protocol; none if there are no listeners.
    package func services(
        database: any Database, surroundings: Surroundings, logger: Logger
    ) -> [any Service] {
        guard let listeners else { return [] }
        let verifier = SPFVerifier()
        if !verifier.tellsFailures {
            logger.error(
                "milter: the verifier of SPF cannot tell failures of DNS, so that mail without proof waits",
                metadata: ["remedy": "install \(SPFVerifier.package), and restart pyspf-milter"])
        }
        let relay = MailRelay(
            database: database, surroundings: surroundings, domain: domain,
            verifiersTellFailures: { verifier.tellsFailures })
        return [
            SocketmapService(relay: relay, logger: logger).listener(at: listeners.socketmap),
            PolicyService(relay: relay, logger: logger).listener(at: listeners.policy),
            MilterService(relay: relay, configuration: self, logger: logger).listener(at: listeners.milter),
        ]
    }
}
