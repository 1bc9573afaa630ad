import Directory

extension MasterKey {
    /// For secrets of people, which `Directory` stores.
    package var sealing: Sealing {
        Sealing(seal: { try seal($0, for: $1) }, open: { try open($0, for: $1) })
    }
}
