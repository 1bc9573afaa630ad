/// Limits against malicious archives. They count the bytes that are really unpacked, whatever the headers claim.
package struct ArchiveLimits: Sendable {
    /// Maximum size of the six files together, in bytes.
    package var uncompressedBytesMax = 4 << 30
    /// Maximum number of uncompressed bytes for each byte of the archive. Rosters reach about 15; a ZIP bomb needs 1000
    /// and more.
    package var ratioMax = 200
    /// The ratio is not checked below this number of uncompressed bytes.
    package var ratioFreeBytes = 10 << 20
    package var entriesMax = 1_000

    package init() {}
}
