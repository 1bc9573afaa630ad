import Administration
import Foundation
import Ground
import Hummingbird

/// The description of the administration API in OpenAPI 3.1, derived from the operations' types.
struct OpenAPIDocument: Sendable {
    let baseURL: String

    /// The document as JSON in UTF-8.
    var bytes: [UInt8] {
        // The document consists only of values that JSON can express.
        Array(try! JSONEncoder.stable.encode(Self.document(baseURL)))
    }

    /// Made when the first client asks: it takes longer than all else that a server does before it accepts connections.
    private static let paths: JSONValue = {
        var paths: [String: [String: JSONValue]] = [:]
        for inquiry in OperationCatalog.inquiries { add(inquiry, to: &paths) }
        for change in OperationCatalog.changes + OperationCatalog.bulk { add(change, to: &paths) }
        addJobs(to: &paths)
        addUndo(to: &paths)
        return .object(paths.mapValues(JSONValue.object))
    }()

    private static func document(_ baseURL: String) -> JSONValue {
        let scopes = JSONValue.object(
            Dictionary(uniqueKeysWithValues: Privilege.allCases.map { ($0.rawValue, .string($0.explanation)) }))
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Lanyard administration", "version": "1",
                "description": "What administrators and their programs do, as one set of operations.",
            ],
            "servers": [["url": .string(baseURL)]],
            "paths": paths,
            "components": [
                "securitySchemes": [
                    "client": [
                        "type": "oauth2",
                        "description": """
                        A program gets a token with its id and secret, a person at a terminal with a code that they \
                        confirm in a browser (RFC 8628; POST /api/v1/device_authorization).
                        """,
                        "flows": [
                            "clientCredentials": [
                                "tokenUrl": .string(baseURL + "/api/v1/token"), "scopes": scopes,
                            ]
                        ],
                    ]
                ],
                "schemas": ["Problem": problem, "Job": schema(.of(JobRecord.self))],
            ],
        ]
    }

    // MARK: Paths

    private static let organization = parameter(
        "organization", in: "path", schema(.string), "The organization's id or exact name.", isRequired: true)

    private static func add<I: Inquiry>(_: I.Type, to paths: inout [String: [String: JSONValue]]) {
        let (parameters, body) = inputs(I.self)
        paths[I.route.fullPath, default: [:]][I.route.method.rawValue] = operation(
            I.name, I.summary, needs: I.privilege, parameters, body: body,
            responses([200: content("Done.", schema(.of(I.Answer.self)))], refusals: []))
    }

    private static func add<C: Change>(_: C.Type, to paths: inout [String: [String: JSONValue]]) {
        var (parameters, body) = inputs(C.self)
        parameters += [
            parameter("dryRun", in: "query", schema(.boolean), "Only says what would be changed.", isRequired: false),
            parameter(
                "If-Match", in: "header", schema(.string),
                """
                The version that you have seen, in quotes: the change is refused if it is another by now, or if what it is \
                about has no versions.
                """,
                isRequired: false),
            parameter(
                "Idempotency-Key", in: "header",
                ["type": "string", "minLength": .integer(16), "maxLength": .integer(257)],
                """
                Made up by you, 16 to 255 printable ASCII characters: the same request with the same key is carried \
                out once within a day and answered the same each time.
                """, isRequired: false),
        ]
        let canBeJob = C.route.root == .organization
        if canBeJob {
            parameters.append(
                parameter(
                    "Prefer", in: "header", schema(.string), "`respond-async` has it done in the background.",
                    isRequired: false))
        }
        let done: JSONValue = [
            "type": "object", "required": ["result", "effects"],
            "properties": [
                "result": schema(.of(C.Answer.self)),
                "change": [
                    "type": "integer", "format": "int64",
                    "description": "The number by which the change is taken back, if it can be.",
                ],
                "effects": [
                    "type": "array", "items": schema(.of(Effect.self)),
                    "description": .string("What was changed, the first \(Preview.effectsMax) things."),
                ],
            ],
        ]
        var answers = [200: content("Done.", ["anyOf": [done, schema(.of(Preview.self))]])]
        if canBeJob { answers[202] = content("It is done in the background.", ["$ref": "#/components/schemas/Job"]) }
        paths[C.route.fullPath, default: [:]][C.route.method.rawValue] = operation(
            C.name, C.summary, needs: C.privilege, parameters, body: body,
            responses(answers, refusals: [412, 413, 415]))
    }

    private static func addJobs(to paths: inout [String: [String: JSONValue]]) {
        let job = parameter("job", in: "path", schema(.string), "As in the answer to the change.", isRequired: true)
        paths[OperationRoute(.get, AdministrationRoutes.jobPath).fullPath] = [
            "get": operation(
                "job.show", "How far a change in the background has come; its answer is there for an hour.",
                needs: nil, [organization, job], body: nil,
                responses([200: content("The job.", ["$ref": "#/components/schemas/Job"])], refusals: []))
        ]
    }

    private static func addUndo(to paths: inout [String: [String: JSONValue]]) {
        let change = parameter(
            "change", in: "path", schema(.integer), "As in the answer to the change.", isRequired: true)
        for (root, name, parameters) in [
            (OperationRoute.Root.organization, "change.undo", [organization, change]),
            (.server, "team.change.undo", [change]),
        ] {
            paths[OperationRoute(.post, AdministrationRoutes.undoPath, below: root).fullPath] = [
                "post": operation(
                    name,
                    "Takes a change back, unless its subject was changed again since. It needs the privilege of what undoes it.",
                    needs: nil, parameters, body: nil,
                    responses(
                        [200: content("It is taken back.", schema(.of(UndoAnswer.self)))], refusals: [412, 413]))
            ]
        }
    }

    private static func operation(
        _ name: String, _ summary: String, needs privilege: Privilege?, _ parameters: [JSONValue], body: JSONValue?,
        _ responses: JSONValue
    ) -> JSONValue {
        var fields: [String: JSONValue] = [
            "operationId": .string(name),
            "summary": .string(summary),
            "security": [["client": .array(privilege.map { [.string($0.rawValue)] } ?? [])]],
            "parameters": .array(parameters),
            "responses": responses,
        ]
        fields["requestBody"] = body
        return .object(fields)
    }

    /// The inputs of an operation: its parameters, and the schema of its body.
    private static func inputs<O: Administration.Operation>(_: O.Type) -> ([JSONValue], JSONValue?) {
        let route = O.route
        var parameters = route.root == .organization ? [organization] : []
        var (properties, required): ([String: JSONValue], [JSONValue]) = ([:], [])
        for input in ValueShape.inputs(of: O.self) {
            let explanation = O.explanations[input.name] ?? ""
            if route.pathInputs.contains(input.name) {
                parameters.append(
                    parameter(input.name, in: "path", schema(input.shape), explanation, isRequired: true))
            } else if route.method == .post {
                properties[input.name] = schema(input.shape, explanation)
                if input.isRequired { required.append(.string(input.name)) }
            } else {
                parameters.append(
                    parameter(input.name, in: "query", schema(input.shape), explanation, isRequired: input.isRequired))
            }
        }
        guard !properties.isEmpty else { return (parameters, nil) }
        return (
            parameters,
            [
                "required": .boolean(!required.isEmpty),
                "content": [
                    "application/json": [
                        "schema": [
                            "type": "object", "properties": .object(properties), "required": .array(required),
                            "additionalProperties": false,
                        ]
                    ]
                ],
            ]
        )
    }

    private static func content(_ description: String, _ schema: JSONValue) -> JSONValue {
        ["description": .string(description), "content": ["application/json": ["schema": schema]]]
    }

    private static func responses(_ answers: [Int: JSONValue], refusals: [Int]) -> JSONValue {
        let problem: JSONValue = [
            "description": "It was not done.",
            "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ]
        var all = Dictionary(uniqueKeysWithValues: answers.map { ("\($0)", $1) })
        for code in [400, 401, 403, 404, 409, 422, 429, 503] + refusals { all["\(code)"] = problem }
        return .object(all)
    }

    private static func parameter(
        _ name: String, in place: String, _ schema: JSONValue, _ explanation: String, isRequired: Bool
    ) -> JSONValue {
        [
            "name": .string(name), "in": .string(place), "required": .boolean(isRequired),
            "description": .string(explanation), "schema": schema,
        ]
    }

    private static func schema(_ shape: ValueShape, _ explanation: String? = nil) -> JSONValue {
        var fields: [String: JSONValue] =
            switch shape {
            case .string: ["type": "string"]
            case .bytes: ["type": "string", "contentEncoding": "base64"]
            case .integer: ["type": "integer", "format": "int64"]
            case .boolean: ["type": "boolean"]
            case .date: ["type": "string", "format": "date-time"]
            case .choice(let texts): ["type": "string", "enum": .array(texts.map(JSONValue.string))]
            case .array(let element): ["type": "array", "items": schema(element)]
            case .anything: [:]
            case .dictionary(let value): ["type": "object", "additionalProperties": schema(value)]
            case .object(let fields):
                [
                    "type": "object",
                    "properties": .object(
                        Dictionary(uniqueKeysWithValues: fields.map { ($0.name, schema($0.shape)) })),
                    "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
                ]
            }
        if let explanation { fields["description"] = .string(explanation) }
        return .object(fields)
    }

    private static let problem: JSONValue = [
        "type": "object",
        "required": ["type", "title", "status", "requestID"],
        "properties": [
            "type": [
                "type": "string",
                "enum": .array(ProblemDetails.Kind.allCases.map { .string("urn:lanyard:problem:\($0.rawValue)") }),
            ],
            "title": ["type": "string"],
            "status": ["type": "integer"],
            "detail": ["type": "string"],
            "requestID": ["type": "string"],
            "field": ["type": "string"],
            "choices": ["type": "array", "items": ["type": "string"]],
            "subjectKind": [
                "type": "string", "enum": .array(OperationError.Kind.allCases.map { .string($0.rawValue) }),
            ],
            "remedy": schema(.of(OperationError.Remedy.self)),
            "version": ["type": "string"],
            "items": ["type": "array", "items": schema(.of(OperationFailure.Item.self))],
        ],
    ]
}
