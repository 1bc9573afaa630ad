/// The pages of the site.
enum Page {
    /// For visitors who are not signed in.
    case welcome
    case home(name: String)
    case signedOut
    /// The visitor canceled signing in.
    case canceled
    case failed

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · Burgers and Tacos</title>
        <link rel="icon" href="data:image/svg+xml,\(icon)">
        <style>\(styles)</style>
        <header>Burgers and Tacos</header>
        <main>
        \(content)
        </main>
        <footer>An example: a page that needs a sign-in, and pictures that need one too.</footer>
        </html>

        """
    }

    private var title: String {
        switch self {
        case .welcome: "Welcome"
        case .home: "Menu"
        case .signedOut: "Signed out"
        case .canceled: "Not signed in"
        case .failed: "Not signed in"
        }
    }

    private var content: String {
        switch self {
        case .home(let name):
            """
            <h1>Hello, <span id="name">\(escaped(name))</span>!</h1>
            <p>This is what you may have today.</p>
            <div class="menu">
            <figure><img src="/burger" alt="A smiling burger" width="240" height="200"><figcaption>Burger</figcaption></figure>
            <figure><img src="/tacos" alt="Two tacos, one of which smiles" width="240" height="200"><figcaption>Tacos</figcaption></figure>
            </div>
            <form method="post" action="/sign-out"><button>Sign out</button></form>
            """
        case .welcome:
            """
            <h1>Are you hungry?</h1>
            <p>What there is today we tell people of the school only.</p>
            <p><a class="button" href="/">To the menu</a></p>
            """
        case .signedOut:
            """
            <h1>You are signed out</h1>
            <p>You are signed out of this site only. As long as your device knows you, it can sign you in again without asking.</p>
            <p><a class="button" href="/">To the menu</a></p>
            """
        case .canceled:
            """
            <h1>You did not sign in</h1>
            <p>What there is today we tell people of the school only.</p>
            <p><a class="button" href="/">To the menu</a></p>
            """
        case .failed:
            """
            <h1>That did not work</h1>
            <p>Nobody is signed in. Trying again often helps.</p>
            <p><a class="button" href="/">Try again</a></p>
            """
        }
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}

/// A burger that can be recognized at 16 pixels, as a data URL.
private let icon = """
    <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>\
    <path d='M3 14C3 7 9 3 16 3s13 4 13 11z' fill='#e8a04e'/>\
    <path d='M2 14h28v4H2z' fill='#69a84a'/><path d='M3 18h26v5H3z' fill='#6b3a21'/>\
    <path d='M3 23h26v1a5 5 0 0 1-5 5H8a5 5 0 0 1-5-5z' fill='#d98a3d'/></svg>
    """.replacing("<", with: "%3C").replacing(">", with: "%3E").replacing("#", with: "%23").replacing(" ", with: "%20")

private let styles = """
    :root { --paper: #fff8ec; --card: #fff; --ink: #35221a; --quiet: #75594a; --accent: #b5371f; --line: #ecd9c0; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #1d1410; --card: #2a1e18; --ink: #fbeee1; --quiet: #cbb3a2; --accent: #ff9a7d; --line: #46342a; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 44rem; padding: 24px; background: var(--paper); color: var(--ink);
      font: 1.0625rem/1.5 ui-rounded, system-ui, "Segoe UI", "Noto Sans", sans-serif; }
    header { font-weight: 800; color: var(--accent); }
    main { padding: 32px 0; }
    h1 { font-size: clamp(1.75rem, 6vw, 2.5rem); line-height: 1.2; margin: 0 0 8px; overflow-wrap: anywhere; }
    .menu { display: flex; flex-wrap: wrap; gap: 20px; margin: 24px 0; }
    figure { margin: 0; flex: 1 1 15rem; background: var(--card); border: 1px solid var(--line); border-radius: 18px;
      padding: 20px; text-align: center; font-weight: 700; }
    img { width: 100%; height: auto; }
    button, .button { display: inline-block; min-height: 44px; padding: 8px 22px; border: 2px solid var(--accent);
      border-radius: 14px; background: none; color: var(--accent); font: inherit; font-weight: 700; cursor: pointer;
      text-decoration: none; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
    footer { color: var(--quiet); font-size: .9375rem; border-top: 1px solid var(--line); padding-top: 16px; }
    """
