// The small form in the body of an answer: read without running anything of it, and sent from here.

// { action, method, enctype, fields: [[name, value]] }, or null if there is none that could be sent.
export function readForm(html, base) {
    const document = new DOMParser().parseFromString(html, 'text/html');
    const form = document.querySelector('form');
    if (!form) return null;
    const baseElement = document.querySelector('base[href]')?.getAttribute('href') ?? '';
    const from = URL.canParse(baseElement, base) ? new URL(baseElement, base).href : base;
    const action = form.getAttribute('action') || base;
    if (!URL.canParse(action, from)) return null;
    const target = new URL(action, from);
    if (target.protocol !== 'https:' && target.protocol !== 'http:') return null;
    return {
        action: target.href,
        method: form.method === 'post' ? 'post' : 'get',
        enctype: form.enctype,
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
    for (const [name, value] of fields) {
        // The one element that keeps every line break.
        const field = document.createElement('textarea');
        field.name = name;
        field.value = value;
        form.append(field);
    }
    document.body.append(form);
    // A field named “submit” would hide the method.
    HTMLFormElement.prototype.submit.call(form);
}
