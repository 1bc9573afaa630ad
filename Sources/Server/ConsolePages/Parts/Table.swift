import ServerPages

/// A table whose first column is the link. An empty one says what would be here.
package struct Table: Sendable {
    package struct Column: Sendable {
        let label: Sentence
        /// Numbers stand at the end of their column.
        let isNumber: Bool

        package init(_ label: Sentence, isNumber: Bool = false) {
            self.label = label
            self.isNumber = isNumber
        }
    }

    package struct Row: Sendable {
        let cells: [Cell]
        /// The value of the row's checkbox; nil for a row that cannot be chosen.
        let choice: (value: String, name: String)?

        /// - Parameter choice: the value of the row's checkbox, and what a screen reader says of it.
        package init(_ cells: [Cell], choice: (value: String, name: String)? = nil) {
            self.cells = cells
            self.choice = choice
        }
    }

    /// What is done with the rows that are chosen.
    package struct BulkAction: Sendable {
        let label: Sentence
        let value: String

        package init(_ label: Sentence, value: String) {
            self.label = label
            self.value = value
        }
    }

    /// What the table is, for those who hear it.
    let caption: Sentence
    let columns: [Column]
    let rows: [Row]
    /// What would be here, if there are no rows.
    let empty: Sentence
    let emptyLink: ConsoleLink?
    /// The path of the next page; nil on the last one.
    let next: String?
    /// The path of the first page; nil on it.
    let first: String?
    /// Where the choice is sent, as fields called `choice`; its buttons are `action`s.
    let bulk: (target: ConsoleForm.Target, actions: [BulkAction])?
    /// The label of a checkbox that extends the action to all that the filter lets through, on other pages too.
    /// It is sent as `scope`. Nil for no such box.
    let wholeList: Sentence?

    package init(
        _ caption: Sentence, _ columns: [Column], _ rows: [Row], empty: Sentence, emptyLink: ConsoleLink? = nil,
        next: String? = nil, first: String? = nil,
        bulk: (target: ConsoleForm.Target, actions: [BulkAction])? = nil, wholeList: Sentence? = nil
    ) {
        self.wholeList = wholeList
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.empty = empty
        self.emptyLink = emptyLink
        self.next = next
        self.first = first
        self.bulk = bulk
    }

    var content: Content {
        [
            "caption": .sentence(caption),
            "hasRows": .flag(!rows.isEmpty),
            "empty": .sentence(empty),
            "emptyLink": .group(ifAny: emptyLink?.content),
            "hasChoice": .flag(bulk != nil),
            "hasManyColumns": .flag(columns.count > 7),
            "columns": .list(columns.map { ["columnLabel": .sentence($0.label), "isNumber": .flag($0.isNumber)] }),
            "rows": .list(rows.map(content(of:))),
            "pager": .group(
                ifAny: next == nil && first == nil
                    ? nil : ["nextPath": .text(ifAny: next), "firstPath": .text(ifAny: first)]),
            "bulk": .group(
                ifAny: bulk.map { bulk in
                    bulk.target.content.merging([
                        "wholeList": .sentence(ifAny: wholeList),
                        "bulkActions": .list(
                            bulk.actions.map { ["bulkLabel": .sentence($0.label), "bulkValue": .text($0.value)] }),
                    ]) { own, _ in own }
                }),
        ]
    }

    private func content(of row: Row) -> Content {
        [
            "choice": .group(
                ifAny: row.choice.map { ["choiceValue": .text($0.value), "choiceName": .text($0.name.shown)] }),
            "cells": .list(
                row.cells.enumerated().map { index, cell in
                    cell.content.merging([
                        "isFirst": .flag(index == 0),
                        "isNumber": .flag(index < columns.count && columns[index].isNumber),
                        // On a narrow screen each row is drawn as a box, in which a value has the label of its column
                        // beside it. An empty cell needs no label.
                        "cellLabel": .sentence(
                            ifAny: index < columns.count && !cell.isNothing ? columns[index].label : nil),
                    ]) { own, _ in own }
                }),
        ]
    }
}
