/// What all pages have in common. Blocks: `head` (optional), `title`, `content`.
let layoutTemplate = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="stylesheet" href="/style.css">
    {{$head}}{{/head}}
    <title>{{$title}}Quizzler{{/title}}</title>
    </head>
    <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar">
    <a class="brand" href="/">
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
    <rect class="shape-0" x="1" y="1" width="14" height="14" rx="4"/>
    <circle class="shape-1" cx="24" cy="8" r="7"/>
    <path class="shape-2" d="M8 17.5 15 30H1z" stroke-width="2" stroke-linejoin="round"/>
    <path class="shape-3" d="M24 16.5 31.5 24 24 31.5 16.5 24z" stroke-width="1" stroke-linejoin="round"/>
    </svg>
    Quizzler</a>
    </header>
    <main id="main">
    {{$content}}{{/content}}
    </main>
    <footer>Quizzler is an example of an app that signs people in with Lanyard.</footer>
    </body>
    </html>
    """
