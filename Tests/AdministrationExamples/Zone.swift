import DomainNames
import Synchronization

/// TXT records as name servers would have them. How a real one is asked, DomainNamesTests say.
package final class Zone: TextRecordReading {
    private let records = Mutex<[String: [String]]>([:])

    package init() {}

    package func add(_ text: String, at name: String) { records.withLock { $0[name, default: []].append(text) } }

    package func find(at name: String) async throws -> [String] {
        guard let texts = records.withLock({ $0[name] }) else { throw TextRecordFailure.noSuchName }
        guard !texts.isEmpty else { throw TextRecordFailure.noRecord }
        return texts
    }
}
