import Foundation
import Ground

/// Puts each mail as a file into a Maildir, where mail programs and tests find it. The file is written to `tmp` and
/// then renamed into `new`, so that no reader sees half of it. https://cr.yp.to/proto/maildir.html
package struct MaildirTransport: MailTransport {
    private let folder: String
    private let surroundings: Surroundings
    private let queue = BlockingQueue(width: 1)

    package init(folder: String, surroundings: Surroundings) {
        self.folder = folder
        self.surroundings = surroundings
    }

    package func send(_ content: String, from sender: MailAddress, to recipient: MailAddress) async throws {
        let (folder, surroundings) = (folder, surroundings)
        try await queue.run {
            do {
                for name in ["tmp", "new", "cur"] {
                    try FileManager.default.createDirectory(
                        atPath: "\(folder)/\(name)", withIntermediateDirectories: true,
                        attributes: [.posixPermissions: 0o700])
                }
                // The time comes first, so that names sort by age.
                let milliseconds = Int(surroundings.now().timeIntervalSince1970 * 1_000)
                let name = "\(milliseconds).\(surroundings.randomUUID().uuidString.lowercased()).lanyard"
                // Files of a Maildir have Unix line ends.
                let local = content.replacing("\r\n", with: "\n")
                let file = "Return-Path: <\(sender.text)>\nDelivered-To: \(recipient.text)\n" + local
                guard
                    FileManager.default.createFile(
                        atPath: "\(folder)/tmp/\(name)", contents: Data(file.utf8),
                        attributes: [.posixPermissions: 0o600])
                else { throw MailFailure(reason: "no file can be made in \(folder)/tmp", isPermanent: false) }
                try FileManager.default.moveItem(atPath: "\(folder)/tmp/\(name)", toPath: "\(folder)/new/\(name)")
            } catch let failure as MailFailure {
                throw failure
            } catch {
                throw MailFailure(reason: "the folder \(folder) cannot be written: \(error)", isPermanent: false)
            }
        }
    }
}
