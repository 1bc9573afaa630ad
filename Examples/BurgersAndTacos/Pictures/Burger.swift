let burgerDrawing = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 200" role="img" aria-label="A smiling burger">
    <ellipse cx="120" cy="182" rx="92" ry="10" fill="#000" opacity=".12"/>
    <path d="M34 142h172v12a24 24 0 0 1-24 24H58a24 24 0 0 1-24-24z" fill="#d98a3d"/>
    <rect x="28" y="118" width="184" height="28" rx="14" fill="#6b3a21"/>
    <path d="M26 112h188l-22 16-26-10-22 20-24-18-26 12-24-12-26 10z" fill="#ffc83d"/>
    <rect x="30" y="98" width="180" height="18" fill="#4f8a36"/>
    <path d="M24 104q12-16 24 0t24 0 24 0 24 0 24 0 24 0 24 0 24 0v12H24z" fill="#69a84a"/>
    <path d="M30 106C30 52 68 22 120 22s90 30 90 84z" fill="#e8a04e"/>
    <g fill="#fff3d6">
    <ellipse cx="84" cy="46" rx="6" ry="4" transform="rotate(-24 84 46)"/>
    <ellipse cx="120" cy="36" rx="6" ry="4"/>
    <ellipse cx="156" cy="46" rx="6" ry="4" transform="rotate(24 156 46)"/>
    <ellipse cx="58" cy="70" rx="6" ry="4" transform="rotate(-40 58 70)"/>
    <ellipse cx="182" cy="70" rx="6" ry="4" transform="rotate(40 182 70)"/>
    </g>
    <circle cx="98" cy="66" r="7" fill="#3a2317"/><circle cx="142" cy="66" r="7" fill="#3a2317"/>
    <path d="M102 80q18 14 36 0" fill="none" stroke="#3a2317" stroke-width="5" stroke-linecap="round"/>
    </svg>

    """

/// The letters stand for colours: o bun, w sesame, d dark, g salad, y cheese, m meat.
let burgerLetters = """
    .....oooooooooo.....
    ...ooowoooowooooo...
    ..oooooooooooooowo..
    .owoooddooooddooooo.
    .oooooddooooddoooow.
    .oooooooooooooooooo.
    .ooooooodooodoooooo.
    .oooooooodddooooooo.
    gggggggggggggggggggg
    .gyyygyyyyygyyygyyg.
    .mymmmmmymmmmmmymmm.
    .mmmmmmmmmmmmmmmmmm.
    .oooooooooooooooooo.
    ..oooooooooooooooo..

    """
