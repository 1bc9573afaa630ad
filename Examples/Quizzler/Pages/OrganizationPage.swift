import Foundation

/// An organization's classes by school, the result of the last sync, and the progress of a running one.
struct OrganizationPage: Page {
    struct Filter {
        let label: String
        let link: String
        let isCurrent: Bool
    }

    let organizationName: String
    let link: String
    let token: String
    /// Nil if no sync is running.
    let progress: String?
    let failure: String?
    let lastSync: String?
    let changes: ChangesSection?
    /// Nil until the first sync is complete.
    let summary: String?
    /// Empty if there is only one school.
    let filters: [Filter]
    let hasFilters: Bool
    let classes: [ClassCard]
    let isEmpty: Bool
    let previousLink: String?
    let nextLink: String?

    private static let classesPerPage = 48

    /// - Parameters:
    ///   - locationID: Show this school only.
    ///   - page: Counted from 1; a number beyond either end shows the page at that end.
    init(
        _ connection: Connection,
        progress: Crawl.Progress?,
        locationID: String?,
        page: Int,
        now: Date,
        csrfToken: String
    ) {
        let roster = connection.roster ?? Roster()
        let link = Link.organization(connection.organizationID)
        organizationName = connection.organizationName
        self.link = link
        token = csrfToken
        self.progress = progress.map { progress in
            let people = counted(progress.people, "person", "people")
            let classes = counted(progress.classes, "class", "classes")
            return "\(people) and \(classes) so far"
        }
        failure = connection.lastFailure.map { "\($0.message) Tried \(said($0.at, now: now))." }
        lastSync = connection.lastSync.map { "In step \(said($0.at, now: now))." }
        changes = connection.lastSync.map { ChangesSection($0.changes) }
        summary = connection.roster.map { roster in
            let classes = counted(roster.classes.count, "class", "classes")
            return "\(classes), \(counted(roster.people.count, "person", "people"))"
        }

        let shown = roster.classes
            .filter { locationID == nil || $0.value.locationID == locationID }
            .sorted { inReadingOrder($0.value.name, $1.value.name, then: $0.key < $1.key) }
        let lastPage = max(shown.count - 1, 0) / Self.classesPerPage + 1
        let number = min(max(page, 1), lastPage)
        let first = (number - 1) * Self.classesPerPage
        let end = min(first + Self.classesPerPage, shown.count)
        classes = shown[first..<end].map { id, rosterClass in
            ClassCard(id, rosterClass, in: roster, of: connection.organizationID)
        }
        isEmpty = connection.roster != nil && shown.isEmpty

        let locationQuery = locationID.map { "location=\(Link.escaped($0))&" } ?? ""
        previousLink = first > 0 ? "\(link)?\(locationQuery)page=\(number - 1)" : nil
        nextLink = end < shown.count ? "\(link)?\(locationQuery)page=\(number + 1)" : nil

        let locationIDs = Set(roster.classes.values.compactMap(\.locationID))
        let schools = roster.locationNames.filter { locationIDs.contains($0.key) }
            .sorted { inReadingOrder($0.value, $1.value, then: $0.key < $1.key) }
        hasFilters = schools.count > 1
        filters =
            [Filter(label: "All schools", link: link, isCurrent: locationID == nil)]
            + schools.map { id, name in
                Filter(label: name, link: "\(link)?location=\(Link.escaped(id))", isCurrent: id == locationID)
            }
    }

    static let name = "organization"
    static let template = """
        {{$head}}{{#progress}}<meta http-equiv="refresh" content="2">{{/progress}}{{/head}}
        {{$title}}{{organizationName}} · Quizzler{{/title}}
        {{$content}}
        <div class="heading">
        <div><h1 dir="auto">{{organizationName}}</h1>
        <p class="quiet">{{#summary}}{{summary}}. {{/summary}}{{lastSync}}</p></div>
        {{^progress}}<form method="post" action="{{link}}/sync"><input type="hidden" name="csrf" value="{{token}}">
        <button class="button">Sync now</button></form>{{/progress}}
        </div>
        {{#progress}}
        <section class="notice" role="status">
        <p><strong>Reading the roster …</strong></p>
        <p>{{progress}}</p>
        <progress></progress>
        <p class="quiet">This page refreshes by itself. You can leave it and come back.</p>
        </section>
        {{/progress}}
        {{#failure}}<section class="notice warning" role="status"><p>{{failure}}</p></section>{{/failure}}
        {{#changes}}
        <section class="changes">
        <h2>Last sync</h2>
        {{#note}}<p class="quiet">{{note}}</p>{{/note}}
        <ul>
        {{#groups}}
        <li><strong>{{label}}</strong> <span class="quiet">
        {{#names}}<span class="item"><bdi>{{.}}</bdi></span> {{/names}}{{more}}</span></li>
        {{/groups}}
        </ul>
        </section>
        {{/changes}}
        {{#hasFilters}}
        <nav class="filters" aria-label="Schools">
        {{#filters}}
        <a href="{{link}}" dir="auto"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{label}}</a>
        {{/filters}}
        </nav>
        {{/hasFilters}}
        {{#isEmpty}}
        <p>There are no classes here yet. They appear after the next sync, once the school has made them.</p>
        {{/isEmpty}}
        <ul class="grid">
        {{#classes}}
        \(ClassCard.template)
        {{/classes}}
        </ul>
        <nav class="paging" aria-label="Pages">
        {{#previousLink}}<a href="{{previousLink}}" rel="prev">Previous</a>{{/previousLink}}
        {{#nextLink}}<a href="{{nextLink}}" rel="next">Next</a>{{/nextLink}}
        </nav>
        <p class="end"><a href="{{link}}/disconnect">Disconnect …</a></p>
        {{/content}}
        """
}
