// Types of Lanyard's script for web pages, /lanyard.js on your Lanyard server.

declare namespace AppleID {
    /** What a page asks for. */
    interface Options {
        /** The services ID of the app. */
        clientId: string
        /** A registered return URL. With a popup it is not called, but must be of the page's own origin. */
        redirectURI: string
        /** None, one or both of `name` and `email`, separated by spaces. */
        scope?: string
        /** Comes back unchanged. */
        state?: string
        /** Comes back in the identity token, unchanged. */
        nonce?: string
        /** Sign in in a window of its own; otherwise the page is left. False if left out. */
        usePopup?: boolean
        codeChallenge?: string
        codeChallengeMethod?: string
    }

    /** What one sign-in may ask for differently. */
    type Overrides = Partial<Omit<Options, "clientId">>

    interface SignInResult {
        authorization: {
            /** Good for five minutes, and once. */
            code: string
            /** The identity token, a JWT. Verify it on your server. */
            id_token: string
            /** If one was sent. */
            state?: string
        }
        /** Only the first time that a person signs in to the app, and only if scopes were asked. */
        user?: {
            email?: string
            name?: { firstName?: string; lastName?: string }
        }
    }

    interface SignInError {
        error:
            | "popup_blocked_by_browser"
            | "popup_closed_by_user"
            | "user_trigger_new_signin_flow"
            | "user_cancelled_authorize"
            | (string & {})
    }

    interface Auth {
        /**
         * Must come first, unless meta tags say everything. Options given here win over meta tags.
         * @throws Error if an option is missing or of the wrong type.
         */
        init(options?: Partial<Options>): void
        /**
         * With a popup, a promise: it fails with a {@link SignInError}. Otherwise the page is left, and nothing returned.
         * Call it while a click is handled, or browsers block the window.
         * @throws Error before `init`, and if an option is of the wrong type.
         */
        signIn(overrides: Overrides & { usePopup: true }): Promise<SignInResult>
        signIn(overrides: Overrides & { usePopup: false }): void
        signIn(overrides?: Overrides): Promise<SignInResult> | undefined
        /** Draws the button again, into the element with this `id` or into the usual ones. */
        renderButton(options?: { id: string }): void
    }

    /** The result itself; `data` leads to it again. */
    type SignInDetail = SignInResult & { readonly data: SignInResult }
    type SignInErrorDetail = SignInError & { readonly data: SignInError }

    const auth: Auth
}

declare global {
    /** The same as `AppleID`, if the script was loaded as /lanyard.js. */
    const Lanyard: typeof AppleID

    interface DocumentEventMap {
        AppleIDSigInLoaded: CustomEvent<null>
        AppleIDSignInOnSuccess: CustomEvent<AppleID.SignInDetail>
        AppleIDSignInOnFailure: CustomEvent<AppleID.SignInErrorDetail>
    }
}

export = AppleID
export as namespace AppleID
