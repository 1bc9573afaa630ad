/// How far an archive is trusted. What is counted are the bytes that really come out, whatever its headers claim.
package struct ArchiveLimits: Sendable {
    /// Of the six files together.
    package var uncompressedBytesMax = 4 << 30
    /// Uncompressed bytes for each byte of the archive. Rosters reach about 15; a ZIP bomb needs 1000 and more.
    package var ratioMax = 200
    /// Below this many uncompressed bytes the ratio does not matter.
    package var ratioFreeBytes = 10 << 20
    package var entriesMax = 1_000

    package init() {}
}
