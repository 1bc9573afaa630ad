/// The style sheet: warm paper and plum text in the light scheme, dark plum in the dark scheme, and the four shapes of
/// quiz answers.
let styleSheet = """
    :root {
      color-scheme: light dark;
      --paper: #fdf7ee; --card: #ffffff; --line: #e6d9c6; --ink: #2b2140; --quiet: #655a7a;
      --accent: #6234c4; --accent-strong: #4d25a3; --on-accent: #ffffff;
      --danger: #b3261e; --on-danger: #ffffff; --warning: #7a4a00; --warning-paper: #fff1d6; --notice: #f0e9ff;
      --shape-0: #e4572e; --shape-1: #2a9d8f; --shape-2: #f2b134; --shape-3: #5b6ee1;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #191324; --card: #241c33; --line: #3d3254; --ink: #f3eefa; --quiet: #b8acce;
        --accent: #b99dff; --accent-strong: #d0bcff; --on-accent: #1d1430;
        --danger: #ff9d94; --on-danger: #34100c; --warning: #ffcf85; --warning-paper: #3a2a10; --notice: #2c2142;
        --shape-0: #ff7d57; --shape-1: #4cc4b4; --shape-2: #ffca5f; --shape-3: #8c9bff;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 1.0625rem/1.5 ui-rounded, "SF Pro Rounded", system-ui, "Segoe UI", "Noto Sans", sans-serif;
    }
    h1, h2, h3, p, ul { margin: 0; padding: 0; }
    ul { list-style: none; }
    h1 { font-size: clamp(1.625rem, 5vw, 2.25rem); line-height: 1.2; font-weight: 800; letter-spacing: -0.01em; }
    h2 { font-size: 1.25rem; line-height: 1.3; font-weight: 700; }
    h3, .card h2 { font-size: 1.125rem; line-height: 1.35; font-weight: 700; }
    a { color: var(--accent); text-underline-offset: 0.2em; }
    a:hover { color: var(--accent-strong); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
    .quiet { color: var(--quiet); font-size: 0.9375rem; }
    .skip { position: absolute; left: -999rem; }
    .skip:focus { left: 16px; top: 16px; background: var(--card); padding: 8px 16px; }
    .bar, main, footer { max-width: 72rem; margin: 0 auto; padding: 16px 24px; }
    .brand {
      display: inline-flex; align-items: center; gap: 12px; min-height: 44px;
      color: var(--ink); font-size: 1.25rem; font-weight: 800; text-decoration: none;
    }
    main { display: grid; gap: 32px; padding-block: 16px 48px; }
    main > *, section { min-width: 0; }
    section { display: grid; gap: 12px; }
    footer { color: var(--quiet); font-size: 0.875rem; border-top: 1px solid var(--line); }
    .hero { gap: 20px; padding-block: 24px; }
    .hero h1, .hero p { max-width: 36rem; text-wrap: balance; }
    .answers { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; justify-self: start; }
    .answers .tile { --size: 44px; }
    @media (min-width: 56rem) {
      .hero { grid-template-columns: 1fr auto; column-gap: 64px; align-items: center; padding-block: 40px; }
      .hero > * { grid-column: 1; }
      .hero .answers { grid-column: 2; grid-row: 1 / span 4; gap: 28px; padding-right: 48px; }
      .answers .tile { --size: 104px; }
    }
    .button {
      display: inline-flex; align-items: center; justify-content: center; justify-self: start;
      min-height: 48px; padding: 8px 24px; border: 0; border-radius: 14px; cursor: pointer;
      background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 700; text-align: center;
      text-decoration: none;
    }
    .button:hover { background: var(--accent-strong); color: var(--on-accent); }
    .button .mark {
      flex: none; width: 1.375rem; height: 1.375rem; margin-inline-end: 12px; fill: currentColor; fill-rule: evenodd;
    }
    .secondary, .secondary:hover { background: none; color: var(--accent); border: 2px solid currentColor; }
    .danger, .danger:hover { background: var(--danger); color: var(--on-danger); }
    .plain {
      min-height: 44px; padding: 0; border: 0; background: none; color: var(--accent); cursor: pointer;
      font: inherit; text-decoration: underline; text-underline-offset: 0.2em;
    }
    .heading { display: flex; flex-wrap: wrap; align-items: center; gap: 16px 20px; }
    .heading > div { display: grid; gap: 4px; flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; }
    .notice { background: var(--notice); border-radius: 14px; padding: 20px 24px; gap: 8px; }
    .closable { grid-template-columns: minmax(0, 1fr) auto; align-items: center; padding-block: 12px; }
    .warning { color: var(--warning); }
    .notice.warning { background: var(--warning-paper); }
    progress { width: 100%; height: 8px; accent-color: var(--accent); }
    .grid { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
    .card {
      position: relative; display: flex; gap: 16px; padding: 20px; min-width: 0;
      background: var(--card); border: 1px solid var(--line); border-radius: 14px;
    }
    .card:hover { border-color: var(--accent); }
    .card > div { display: grid; gap: 6px; align-content: start; flex: 1; min-width: 0; overflow-wrap: anywhere; }
    .card a { color: var(--ink); text-decoration: none; }
    .card a::after { content: ""; position: absolute; inset: 0; border-radius: 14px; }
    .card a:focus-visible { outline: 0; }
    .card a:focus-visible::after { outline: 3px solid var(--accent); outline-offset: 3px; }
    .tile { --size: 32px; width: var(--size); height: var(--size); flex: none; }
    .heading .tile { --size: 56px; }
    .tile.shape-0 { background: var(--shape-0); border-radius: 28%; }
    .tile.shape-1 { background: var(--shape-1); border-radius: 50%; }
    .tile.shape-2 { background: var(--shape-2); clip-path: polygon(50% 6%, 100% 94%, 0 94%); }
    .tile.shape-3 { background: var(--shape-3); border-radius: 20%; transform: rotate(45deg) scale(0.76); }
    .shape-0 { fill: var(--shape-0); } .shape-1 { fill: var(--shape-1); }
    .shape-2 { fill: var(--shape-2); stroke: var(--shape-2); }
    .shape-3 { fill: var(--shape-3); stroke: var(--shape-3); }
    /* Outside the <bdi>: within it, the comma after a Hebrew or Arabic name would stand on its left. */
    .item:not(:last-of-type)::after { content: ","; }
    .teacher { font-weight: 600; }
    .changes { padding: 20px 24px; border: 1px solid var(--line); border-radius: 14px; }
    .changes ul { display: grid; gap: 6px; }
    .changes ul:not(:has(li)) { display: none; }
    .filters { display: flex; flex-wrap: wrap; gap: 8px; }
    .filters a {
      display: inline-flex; align-items: center; min-height: 44px; padding: 0 18px; border-radius: 22px;
      border: 1px solid var(--line); background: var(--card); color: var(--ink); text-decoration: none;
    }
    .filters a[aria-current] {
      background: var(--ink); border-color: var(--ink); color: var(--paper); font-weight: 600;
    }
    .members { display: grid; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
    .members:empty { display: none; }
    .members li {
      display: grid; grid-template-columns: minmax(0, 1fr) 6rem minmax(0, 20rem); align-items: baseline;
      gap: 2px 20px; padding: 10px 20px;
    }
    .members li + li { border-top: 1px solid var(--line); }
    .name { font-weight: 600; text-align: left; }
    .grade { grid-column: 2; font-size: 0.9375rem; font-variant-numeric: tabular-nums; }
    .email { grid-column: 3; }
    .name, .grade, .email { overflow-wrap: anywhere; }
    .facts { margin: 0; display: grid; gap: 8px; }
    .facts > div { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: 16px; }
    .facts dt { color: var(--quiet); }
    .facts dd { margin: 0; overflow-wrap: anywhere; text-align: left; }
    .school, .practice { padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
    .quiz { display: grid; gap: 24px; max-width: 44rem; }
    .quiz fieldset { display: grid; gap: 12px; margin: 0; padding: 0; border: 0; min-width: 0; }
    .quiz legend { padding: 0; margin-bottom: 12px; font-size: 1.25rem; font-weight: 700; }
    .choice {
      display: flex; align-items: center; gap: 16px; min-height: 56px; padding: 8px 20px; cursor: pointer;
      background: var(--card); border: 2px solid var(--line); border-radius: 14px;
    }
    .choice:has(:checked) { border-color: var(--accent); background: var(--notice); }
    .choice input { width: 20px; height: 20px; margin: 0; accent-color: var(--accent); }
    .choice .tile { --size: 24px; }
    .paging { display: flex; gap: 24px; }
    .paging:not(:has(a)) { display: none; }
    .paging a, .end a, .trail a, .actions a, .notice p > a { display: inline-flex; align-items: center; min-height: 44px; }
    .end { border-top: 1px solid var(--line); padding-top: 16px; }
    .message { max-width: 36rem; gap: 20px; padding-block: 32px; }
    .actions { display: flex; flex-wrap: wrap; align-items: center; gap: 16px 24px; }
    @media (max-width: 30rem) {
      .bar, main, footer { padding-inline: 16px; }
      .hero .button, .heading .button, .heading form { width: 100%; }
    }
    @media (max-width: 44rem) {
      .members li { grid-template-columns: minmax(0, 1fr) auto; }
      .members .email { grid-column: 1 / -1; }
    }
    """
