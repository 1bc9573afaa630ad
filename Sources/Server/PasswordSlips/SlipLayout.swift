/// How many slips a page has, and how large it is. Lengths are points, of 1/72 inch.
package struct SlipLayout: Equatable, Sendable {
    package enum Paper: String, CaseIterable, Sendable {
        case a4
        case letter
    }

    let paper: Paper
    let isOneAPage: Bool

    package init(_ paper: Paper = .a4, isOneAPage: Bool = false) {
        self.paper = paper
        self.isOneAPage = isOneAPage
    }

    var width: Double { paper == .a4 ? 595.28 : 612 }
    var height: Double { paper == .a4 ? 841.89 : 792 }
    /// No printer prints up to the edge.
    var margin: Double { isOneAPage ? 56 : 26 }
    var columns: Int { isOneAPage ? 1 : 2 }
    var rows: Int { isOneAPage ? 1 : 4 }
    var slipsPerPage: Int { columns * rows }

    /// How much larger everything is than on a page of eight.
    var scale: Double { isOneAPage ? 1.85 : 1 }

    /// - Parameter place: from 0, line by line.
    func frame(_ place: Int) -> Frame {
        let (width, height) = (
            (width - 2 * margin) / Double(columns),
            isOneAPage ? 198 * scale : (height - 2 * margin) / Double(rows)
        )
        return Frame(
            x: margin + width * Double(place % columns), y: margin + height * Double(place / columns), width: width,
            height: height)
    }

    struct Frame: Equatable, Sendable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double

        func inset(by distance: Double) -> Frame {
            Frame(x: x + distance, y: y + distance, width: width - 2 * distance, height: height - 2 * distance)
        }
    }
}
