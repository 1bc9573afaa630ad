// The small form in the body of an answer. It is parsed without running any of its scripts, and sent from here.

// Returns { action, method, enctype, fields: [[name, value]] }, or null if the page has no form that could be sent.
export function readForm(html, base) {
    // Use the prototypes' methods: a field hides the property of its form that has the same name, so with a field
    // “method” `form.method` is that field.
    const page = new DOMParser().parseFromString(html, 'text/html');
    const find = (selector) => Document.prototype.querySelector.call(page, selector);
    const attribute = (element, name) => (element ? Element.prototype.getAttribute.call(element, name) : null);
    const form = find('form');
    if (!form) return null;
    const baseHref = attribute(find('base[href]'), 'href') ?? '';
    const from = URL.canParse(baseHref, base) ? new URL(baseHref, base).href : base;
    const action = attribute(form, 'action') || base;
    if (!URL.canParse(action, from)) return null;
    const target = new URL(action, from);
    if (target.protocol !== 'https:' && target.protocol !== 'http:') return null;
    return {
        action: target.href,
        method: attribute(form, 'method')?.toLowerCase() === 'post' ? 'post' : 'get',
        enctype: attribute(form, 'enctype') ?? '',
        fields: [...new FormData(form)].filter(([, value]) => typeof value === 'string'),
    };
}

export function sendForm({ action, method, enctype, fields }) {
    const form = document.createElement('form');
    form.action = action;
    form.method = method;
    form.enctype = enctype;
    form.acceptCharset = 'utf-8';
    form.hidden = true;
    // Append all fields in one call: a field named “append” would hide the method afterwards.
    form.append(...fields.map(([name, value]) => {
        // A textarea is the only element that keeps all line breaks of a value.
        const field = document.createElement('textarea');
        field.name = name;
        field.value = value;
        return field;
    }));
    document.body.append(form);
    HTMLFormElement.prototype.submit.call(form);
}
