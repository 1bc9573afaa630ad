// What the page shows: one card, made of elements and texts. Nothing that came from elsewhere is ever parsed as HTML.
// docs/design-language.md.

// All limits in characters. Texts of an extension may be longer than a name, but must not push its name off the card.
const NAME_MAX = 80;
const LINE_MAX = 120;
const TEXT_MAX = 600;

// Characters that change the direction of text, and control characters except the line break.
const TURNING = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|(?!\n)\p{Cc}/gu;

// A sentence of the catalogue. Names are isolated in it, so that they cannot change the direction of the rest.
export function text(name, ...values) {
    return chrome.i18n.getMessage(name, values.map((value) => `\u2068${shown(value)}\u2069`)) || name;
}

// Shortens a text to `max` characters, and removes characters that would change the direction of what is around it.
function shown(value, max = NAME_MAX) {
    const plain = [...String(value).replace(TURNING, ' ')];
    return plain.length > max ? `${plain.slice(0, max - 1).join('')}…` : plain.join('');
}

function element(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
        else node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
}

function show(heading, ...children) {
    const language = chrome.i18n.getUILanguage();
    document.documentElement.lang = /^(ja|ko)\b/.exec(language)?.[0] ?? 'en';
    document.title = `${heading} – Lanyard`;
    const title = element('h1', { tabindex: '-1', dir: 'auto' }, heading);
    document.querySelector('main').replaceChildren(title, ...children.filter((child) => child !== null));
    document.body.hidden = false;
    return title;
}

// A button that signs in with one press reacts only after a moment: a site could bring up this page just before the
// second click of a double click, or while a key is held down, and the press was meant for the site.
const PATIENCE_MILLISECONDS = 500;
let seenSince = 0;
window.addEventListener('focus', () => { seenSince = performance.now(); });
document.addEventListener('visibilitychange', () => { seenSince = performance.now(); });

function patient(pressed) {
    const shownAt = performance.now();
    return (event) => {
        if (event.timeStamp - Math.max(shownAt, seenSince) >= PATIENCE_MILLISECONDS) pressed(event);
    };
}

const button = (kind, label, pressed) => element('button', { type: 'button', class: kind, onclick: pressed }, label);

// Who signs the person in, with which extension, and for which site.
function answering({ site, asking, extensionName, organization }) {
    const name = organization ?? extensionName;
    if (!name) return null;
    const quiet = extensionName && organization ? text('signsInWith', extensionName) : text('signsIn');
    const sentence = asking && asking !== site ? text('atFrom', site, asking) : text('at', site);
    return element('div', { class: 'who' },
        element('div', { class: 'person' }, badge(name),
            element('p', {}, element('strong', {}, element('bdi', {}, shown(name))), element('span', {}, quiet))),
        element('p', {}, sentence));
}

// The initials of a name, on a colour derived from it.
function badge(name) {
    const words = shown(name).trim().split(/\s+/u);
    const isCased = /\p{Lu}|\p{Ll}/u.test(words[0]?.[0] ?? '');
    const first = words.slice(0, isCased ? 2 : 1).map((word) => [...word][0] ?? '');
    const initials = first.join('').toUpperCase();
    const tone = [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) % 4096, 7) % 8;
    return element('span', { class: `badge tone-${tone}`, 'aria-hidden': 'true' }, initials);
}

function ways(...links) {
    return element('div', { class: 'ways' }, ...links);
}

export function waitingCard(who, { cancel, web }) {
    const title = show(text('waitingTitle', who.site), element('p', { class: 'lead', role: 'status' }, text('waitingText')),
        answering(who), ways(button('link', text('web'), web), button('link', text('cancel'), cancel)));
    title.focus();
}

// What becomes known while a person waits is put into the card that is shown. The rest of the card stays as it is,
// because it may have the focus or a button that is being pressed.

export function sayWhoAnswers(who) {
    document.querySelector('main > .who')?.remove();
    const said = answering(who);
    if (said) document.querySelector('main > .ways').before(said);
}

// Says what the person can do when the wait is long.
export function sayThatWaitingIsLong() {
    document.querySelector('main [role="status"]')?.replaceChildren(text('waitingLong', text('web')));
}

export function formCard(who, form, { submit, cancel, web }) {
    const typed = valuesOf(document.querySelector('form.asked'));
    const fields = form.fields.map((field) => input(field, typed, form));
    const send = element('button', { class: 'primary', type: 'submit' }, shown(form.submit, LINE_MAX));
    const isTyped = form.fields.some(({ kind }) => kind !== 'checkbox');
    const answer = () => {
        if (send.hasAttribute('aria-busy')) return;
        for (const field of asked.querySelectorAll('input[data-hides]')) field.type = 'password';
        send.setAttribute('aria-busy', 'true');
        submit(valuesOf(asked));
    };
    const answered = isTyped ? answer : patient(answer);
    const asked = element('form', { class: 'asked stack', novalidate: true, autocomplete: 'on',
        onsubmit: (event) => {
            event.preventDefault();
            answered(event);
        } },
        ...fields,
        element('div', { class: 'choice' }, send, button('secondary', text('cancel'), cancel)));
    const paragraph = (properties, words) => element('p', { dir: 'auto', ...properties }, shown(words, TEXT_MAX));
    const problem = form.problem
        ? element('div', { class: 'message', role: 'alert' }, paragraph({ id: 'problem' }, form.problem)) : null;
    // The line below already names the site.
    const lead = form.text && form.text !== who.site ? paragraph({ class: 'lead' }, form.text) : null;
    const title = show(
        shown(form.title, LINE_MAX), lead, answering(who), problem, asked, ways(button('link', text('web'), web)));
    (firstToFill(asked, form.problem) ?? title).focus();
}

function input(field, typed, form) {
    const id = `field-${form.fields.indexOf(field)}`;
    const label = shown(field.label, LINE_MAX);
    if (field.kind === 'checkbox') {
        const box = element('input', { id, name: field.name, type: 'checkbox' });
        box.checked = typed ? typed[field.name] === 'true' : field.value === 'true';
        return element('label', { class: 'option' }, box, element('span', { dir: 'auto' }, label));
    }
    const attributes = {
        text: { type: 'text', autocomplete: form.fields.some(({ kind }) => kind === 'password') ? 'username' : 'on' },
        password: { type: 'password', autocomplete: 'current-password', 'data-hides': true },
        oneTimeCode: { type: 'text', autocomplete: 'one-time-code', inputmode: 'numeric', class: 'code' },
    }[field.kind] ?? { type: 'text' };
    const isLast = field === form.fields.at(-1);
    const line = element('input', {
        id, name: field.name, autocapitalize: 'none', autocorrect: 'off', spellcheck: 'false',
        enterkeyhint: isLast ? 'go' : 'next', 'aria-describedby': form.problem ? 'problem' : null, ...attributes,
    });
    line.value = field.kind === 'text' ? (typed?.[field.name] ?? field.value ?? '') : (field.value ?? '');
    return element('div', { class: 'field' }, element('label', { for: id, dir: 'auto' }, label),
        element('div', { class: 'control' }, line, field.kind === 'password' ? reveal(line, label) : null));
}

function reveal(line, label) {
    const toggle = element('button', { type: 'button', class: 'reveal', 'aria-pressed': 'false',
        'aria-label': `${text('show')} ${label}`,
        onclick: () => {
            const shows = line.type === 'password';
            line.type = shows ? 'text' : 'password';
            toggle.setAttribute('aria-pressed', String(shows));
            toggle.textContent = text(shows ? 'hide' : 'show');
            toggle.setAttribute('aria-label', `${toggle.textContent} ${label}`);
        } }, text('show'));
    return toggle;
}

// The values as the extension expects them: a checkbox that is not ticked is absent.
function valuesOf(form) {
    if (!form) return null;
    const values = Object.create(null);
    for (const field of form.elements) {
        if (!field.name) continue;
        if (field.type !== 'checkbox') values[field.name] = field.value;
        else if (field.checked) values[field.name] = 'true';
    }
    return values;
}

function firstToFill(form, problem) {
    const lines = [...form.querySelectorAll('input:not([type="checkbox"])')];
    return lines.find((line) => line.value === '') ?? (problem ? lines[0] : null) ?? form.querySelector('input');
}

export function otherTabCard(who, { show: showTab, cancel, web }) {
    const title = show(text('otherTabTitle'), element('p', { class: 'lead', role: 'status' }, text('otherTabText')),
        answering(who),
        element('div', { class: 'choice' }, button('primary', text('otherTabShow'), showTab),
            button('secondary', text('cancel'), cancel)),
        ways(button('link', text('web'), web)));
    title.focus();
}

export function canceledCard(who, reason, { web, again }) {
    const isLocked = reason === 'screenLocked';
    const title = show(text(isLocked ? 'lockedTitle' : 'canceledTitle'),
        element('p', { class: 'lead' }, text(isLocked ? 'lockedText' : 'canceledText', who.site)),
        element('div', { class: 'choice' }, button('primary', text('web'), web),
            button('secondary', text('again'), again)));
    title.focus();
}

// The safe choice, going back, is the primary button: the person did not ask for this page.
export function strangeCard({ site }, { web, back, hasHistory }) {
    // The end of a host name shows to whom it belongs, so a long one is cut at its beginning.
    const end = site.length > NAME_MAX ? `…${site.slice(1 - NAME_MAX)}` : site;
    const title = show(text('strangeTitle', end), element('p', { class: 'lead' }, text('strangeText', end)),
        element('div', { class: 'choice' }, button('primary', text(hasHistory ? 'strangeBack' : 'strangeClose'), back),
            button('secondary', text('strangeGo', end), patient(web))));
    title.focus();
}

export function circleCard(who, { web, again }) {
    const title = show(text('circleTitle', who.site), element('p', { class: 'lead' }, text('circleText', who.site)),
        element('div', { class: 'choice' }, button('primary', text('web'), web),
            button('secondary', text('again'), again)));
    title.focus();
}
