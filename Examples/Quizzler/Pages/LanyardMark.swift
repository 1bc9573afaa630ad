/// Lanyard's mark, a badge on a lanyard, for buttons that lead there. It looks as in Lanyard's own script for pages of
/// apps.
let lanyardMark = """
    <svg class="mark" viewBox="0 0 32 30" aria-hidden="true" focusable="false">\
    <path d="M12 0h8v10h3a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V14a4 4 0 0 1 4-4h3z\
    M12.5 13a1.5 1.5 0 0 0 0 3h7a1.5 1.5 0 0 0 0-3zM10 20a1 1 0 0 0 0 2h12a1 1 0 0 0 0-2z\
    M10 24a1 1 0 0 0 0 2h7a1 1 0 0 0 0-2z"/></svg>
    """
