let tacosDrawing = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 200" role="img" aria-label="Two tacos, one of which smiles">
    <ellipse cx="120" cy="182" rx="100" ry="10" fill="#000" opacity=".12"/>
    <g id="back" transform="rotate(9 150 120)">
    <path d="M70 168a72 72 0 0 1 144 0z" fill="#d9962f"/>
    <path d="M76 128q8-20 20-14t16-16q12 8 20-6 14 12 22 0 10 14 22 8 4 14 18 12 8 12 14 18l-14 20H84z" fill="#69a84a"/>
    <circle cx="112" cy="112" r="9" fill="#d8432f"/><circle cx="150" cy="100" r="9" fill="#d8432f"/>
    <circle cx="184" cy="116" r="9" fill="#d8432f"/>
    <path d="M62 174a76 68 0 0 1 152 0 6 6 0 0 1-6 6H68a6 6 0 0 1-6-6z" fill="#f0b84a"/>
    </g>
    <g id="front">
    <path d="M34 132q6-22 20-14t14-22q12 8 20-8 14 14 24 0 8 16 20 8 6 16 20 14 6 14 16 20l-14 24H40z" fill="#7dbb56"/>
    <circle cx="62" cy="112" r="10" fill="#d8432f"/><circle cx="98" cy="96" r="10" fill="#d8432f"/>
    <circle cx="136" cy="112" r="10" fill="#d8432f"/>
    <path d="M16 174a82 76 0 0 1 164 0 8 8 0 0 1-8 8H24a8 8 0 0 1-8-8z" fill="#ffcb5c"/>
    <g fill="#e0a236"><circle cx="44" cy="152" r="4"/><circle cx="152" cy="150" r="4"/><circle cx="98" cy="114" r="4"/>
    <circle cx="128" cy="168" r="4"/><circle cx="64" cy="170" r="4"/></g>
    <circle cx="78" cy="140" r="7" fill="#3a2317"/><circle cx="120" cy="140" r="7" fill="#3a2317"/>
    <path d="M82 154q17 14 34 0" fill="none" stroke="#3a2317" stroke-width="5" stroke-linecap="round"/>
    </g>
    </svg>

    """

/// The letters stand for colours: t shell, d dark, g salad, r tomato.
let tacosLetters = """
    ....................
    ......g..rg..g......
    ....ggrggggggrgg....
    ...gggtttttttggrg...
    ..rgttttttttttttgg..
    ..gttttttttttttttg..
    .gtttddttttddttttgr.
    .tttttddttttddttttt.
    tttttttttttttttttttt
    ttttttdttttdtttttttt
    tttttttddddttttttttt
    tttttttttttttttttttt

    """
