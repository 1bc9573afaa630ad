import Authorization
import Ground
import HTTPTypes
import Hummingbird
import ServerPages

extension PageResponder {
    /// Sends the answer to the app: as a redirect, as a form that the browser posts, or as a message to the window that
    /// opened this one.
    func carry(
        _ carrier: AuthorizationResponse.Carrier, appName: AppName, to request: Request, _ context: AppContext,
        visitor: Visitor
    ) -> Response {
        switch carrier {
        case .redirect(let location): .found(location)
        case .message(let origin, let text):
            respond(
                with: WebMessagePage(appName: appName, targetOrigin: origin, message: text), to: request, context,
                visitor: visitor)
        case .form(let action, let fields):
            post(
                Form(action: action, hiddenFields: fields.map { HiddenField(name: $0.name, value: $0.value) }),
                appName: appName, to: request, context, visitor: visitor)
        }
    }

    private func post(
        _ answer: Form, appName: AppName, to request: Request, _ context: AppContext, visitor: Visitor
    ) -> Response {
        var response = respond(
            with: FormPostPage(appName: appName, response: answer), to: request, context, visitor: visitor,
            leadsToApp: true)
        // With a stricter policy the browser would send `Origin: null`, which apps take for a forgery.
        response.headers[.referrerPolicy] = "strict-origin"
        return response
    }
}
