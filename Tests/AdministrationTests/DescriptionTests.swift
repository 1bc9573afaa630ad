import Administration
import Directory
import Testing

/// The description of the API is made of the operations' types.
@Suite struct DescriptionTests {
    @Test func `each input is explained, and nothing else is`() {
        for operation in OperationCatalog.all {
            let inputs = Self.inputs(of: operation)
            #expect(Set(inputs.map(\.name)) == Set(operation.explanations.keys), "\(operation.name)")
            for input in operation.route.pathInputs {
                #expect(inputs.contains { $0.name == input && $0.isRequired }, "\(operation.name): \(input)")
            }
            #expect(operation.explanations.values.allSatisfy { $0.hasSuffix(".") }, "\(operation.name)")
        }
    }

    @Test func `no two operations have the same place`() {
        let places = OperationCatalog.all.map { "\($0.route.method) \($0.route.fullPath)" }
        #expect(Set(places).count == places.count)
    }

    @Test func `the shape of a type is that of its JSON`() {
        #expect(
            ValueShape.of(AddRole.self)
                == .object([
                    .init(name: "person", shape: .string, isRequired: true),
                    .init(name: "role", shape: .choice(Role.allCases.map(\.rawValue)), isRequired: true),
                    .init(name: "at", shape: .string, isRequired: false),
                    .init(name: "from", shape: .string, isRequired: false),
                    .init(name: "until", shape: .string, isRequired: false),
                ]))
        guard case .object(let fields) = ValueShape.of(ListPeople.Answer.self),
            case .array(.object(let person)) = fields.first?.shape
        else {
            Issue.record("no list of people")
            return
        }
        #expect(fields.map(\.name) == ["people", "next"])
        let shapes = Dictionary(person.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(shapes["number"] == .init(name: "number", shape: .integer, isRequired: true))
        #expect(shapes["email"] == .init(name: "email", shape: .string, isRequired: false))
        #expect(shapes["createdAt"] == .init(name: "createdAt", shape: .date, isRequired: true))
        guard case .array(.object(let role)) = shapes["roles"]?.shape else {
            Issue.record("no list of roles")
            return
        }
        #expect(role.map(\.name) == ["role", "locationID", "location", "from", "until"])
    }

    private static func inputs<O: Operation>(of operation: O.Type) -> [ValueShape.Field] {
        ValueShape.inputs(of: operation)
    }
}
