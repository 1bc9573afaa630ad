/// Lets those who arrive go on when all have arrived.
actor Gathering {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of count: Int) { missing = count }

    func arrive() async {
        missing -= 1
        guard missing > 0 else { return waiting.forEach { $0.resume() } }
        await withCheckedContinuation { waiting.append($0) }
    }
}
