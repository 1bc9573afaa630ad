/// A page of the console.
package protocol ConsolePage: DeskPage {
    var desk: Desk { get }
    var section: ConsoleSection { get }
}

extension ConsolePage {
    package var frame: Frame { desk.frame(in: section) }
}
