// Firefox's background, and how Firefox replaces a page load: it holds the request of a navigation to a covered URL,
// asks the broker, and then redirects the navigation as the answer says, or lets it go on. If the person has to see
// something, page.html shows it and talks with the broker through this script. The connection to the native host keeps
// this script alive.

import { decide } from './answer.js';
import { isCircling } from './circle.js';
import { setCookies } from './cookies.js';
import { covers } from './coverage.js';
import { followProfiles, host } from './profiles.js';
import { endSuppression, isSuppressed, pageChanged } from './suppression.js';

// How long the broker may take for its first message.
const ANSWER_MILLISECONDS = 1000;
// How long after that message the person waits before a page says for whom.
const SILENT_MILLISECONDS = 3000;
// How long the page may take to load and connect.
const PAGE_MILLISECONDS = 10_000;
const BODY_BYTES_MAX = 512 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

const PAGES = { urls: ['http://*/*', 'https://*/*'], types: ['main_frame'] };

chrome.webRequest.onBeforeRequest.addListener(hold, PAGES, ['blocking', 'requestBody']);
chrome.webRequest.onBeforeSendHeaders.addListener(holdForm, PAGES, ['blocking', 'requestHeaders']);
chrome.webRequest.onErrorOccurred.addListener(({ requestId }) => {
    forms.delete(requestId);
    navigations.get(requestId)?.gone();
}, PAGES);
chrome.webNavigation.onCommitted.addListener(pageChanged);
chrome.webNavigation.onErrorOccurred.addListener(pageChanged);
chrome.tabs.onRemoved.addListener((tabId) => {
    endSuppression(tabId);
    visits.delete(tabId);
    for (const navigation of navigations.values()) if (navigation.tabId === tabId && !navigation.page) navigation.end();
});
chrome.runtime.onConnect.addListener(attach);
chrome.runtime.onInstalled.addListener(() => {});
chrome.runtime.onStartup.addListener(() => {});
followProfiles((prefixes) => chrome.storage.local.set({ prefixes }));

// Navigations that are held, or shown by a page. They need the connection to the host, which ends with this script, so
// they are not stored.
const navigations = new Map();
// Fields of posted forms whose headers have not been seen yet, by the id of the request.
const forms = new Map();
// Where each tab went, for circle.js to count. A quick answer shows no page that could count by itself.
const visits = new Map();

async function hold(details) {
    const { prefixes = [] } = await chrome.storage.local.get('prefixes');
    if (details.tabId < 0 || !covers(prefixes, details.url)) return {};
    if (await isSuppressed(details.tabId, details.url)) return {};
    if (details.method === 'GET') return navigate(details, null);
    const fields = readForm(details);
    if (fields) forms.set(details.requestId, fields);
    return {};
}

// The fields of a posted form; null for a body that could not be sent again.
function readForm({ method, requestBody }) {
    if (method !== 'POST' || !requestBody?.formData) return null;
    const fields = Object.entries(requestBody.formData).flatMap(
        ([name, values]) => values.map((value) => [name, value]));
    return String(new URLSearchParams(fields)).length <= BODY_BYTES_MAX ? fields : null;
}

// Only the headers distinguish a form of names and values from one with files, of which the browser shows just the
// names.
function holdForm(details) {
    const fields = forms.get(details.requestId);
    forms.delete(details.requestId);
    const type = details.requestHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
    return fields && type.split(';', 1)[0].trim().toLowerCase() === FORM_TYPE ? navigate(details, fields) : {};
}

function navigate(details, fields) {
    if (!host) return {};
    const navigation = new Navigation(details, fields, isCircling(details.url, visitsOf(details.tabId)));
    navigations.set(details.requestId, navigation);
    return navigation.answer;
}

// The visits of a tab, with the interface of the storage that circle.js uses.
function visitsOf(tabId) {
    if (!visits.has(tabId)) visits.set(tabId, new Map());
    const known = visits.get(tabId);
    return { getItem: (key) => known.get(key) ?? null, setItem: (key, value) => known.set(key, value) };
}

class Navigation {
    #resolve;
    #question;
    #timer;
    #details;
    #fields;
    #isCircling;
    #unseen = [];
    #isLed = false;
    // The message that says which extension is asked, once it has arrived.
    #working = null;

    constructor(details, fields, isCircling) {
        this.#details = details;
        this.#fields = fields;
        this.#isCircling = isCircling;
        this.tabId = details.tabId;
        this.page = null;
        this.answer = new Promise((resolve) => { this.#resolve = resolve; });
        if (isCircling) {
            // The page shows that the tab goes round in a circle.
            this.#leadToPage();
        } else {
            this.#timer = setTimeout(() => this.#letGo(), ANSWER_MILLISECONDS);
            this.#question = host.ask(this.#asked(), (message) => this.#receive(message));
        }
    }

    // Undefined if the origin is not known, or if a person came here from this extension's own page.
    get #initiatorOrigin() {
        const { originUrl } = this.#details;
        if (!URL.canParse(originUrl ?? '') || originUrl.startsWith(chrome.runtime.getURL(''))) return undefined;
        return new URL(originUrl).origin;
    }

    #asked() {
        const page = { initiatingAction: 0, initiatorOrigin: this.#initiatorOrigin };
        const question = { type: 'request', url: this.#details.url, page };
        if (this.#fields) {
            question.headers = [['Content-Type', FORM_TYPE]];
            question.body = btoa(String(new URLSearchParams(this.#fields)));
        }
        return question;
    }

    #receive(message) {
        if (!this.#isLed) clearTimeout(this.#timer);
        if (this.#isLed) {
            this.#show(message);
        } else if (message.type === 'working') {
            this.#working = message;
            this.#timer = setTimeout(() => this.#leadToPage(), SILENT_MILLISECONDS);
        } else if (message.type === 'presenting') {
            this.#show(message);
        } else if (message.type === 'finished') {
            this.#finish(message).catch((error) => {
                console.warn(`The answer cannot be used: ${error.message}`);
                this.#letGo();
            });
        } else {
            this.#letGo();
        }
    }

    async #finish(message) {
        const decision = decide(this.#details.url, message.outcome);
        if (decision.kind === 'web') {
            this.#letGo();
        } else if (decision.kind === 'location' && /^https?:/.test(decision.target)) {
            await setCookies(decision.cookies, decision.base, this.#details.cookieStoreId);
            this.#lead(decision.target);
            this.end();
        } else {
            this.#show(message);
        }
    }

    #show(message) {
        if (this.page) {
            this.page.postMessage(message);
        } else {
            this.#unseen.push(message);
            this.#leadToPage();
        }
    }

    // Replaces the held request by page.html, because there is something to show, or at least whom one waits for.
    #leadToPage() {
        if (this.#isLed) return;
        const { requestId, url } = this.#details;
        this.#isLed = true;
        this.#timer = setTimeout(() => this.end(), PAGE_MILLISECONDS);
        this.#lead(`${chrome.runtime.getURL('page.html')}?navigation=${encodeURIComponent(requestId)}#${url}`);
    }

    attach(page) {
        clearTimeout(this.#timer);
        this.page = page;
        const { url, cookieStoreId } = this.#details;
        page.postMessage({
            type: 'start', url, fields: this.#fields, cookieStoreId, initiatorOrigin: this.#initiatorOrigin,
            isCircling: this.#isCircling,
        });
        if (this.#working) page.postMessage(this.#working);
        for (const message of this.#unseen) page.postMessage(message);
        page.onMessage.addListener((question) => {
            host?.ask(question, (answer) => page.postMessage({ ...answer, asked: true }));
        });
        page.onDisconnect.addListener(() => this.end());
    }

    // The browser dropped the request. The person has left, unless we replaced the request by the page ourselves.
    gone() {
        if (!this.#isLed) this.end();
    }

    // A redirection would send the body of a POST to the new URL too, so a POST is canceled and replaced by a new
    // navigation.
    #lead(url) {
        if (this.#details.method === 'GET') {
            this.#resolve({ redirectUrl: url });
        } else {
            this.#resolve({ cancel: true });
            chrome.tabs.update(this.tabId, { url, loadReplace: true });
        }
    }

    #letGo() {
        this.#resolve({});
        this.end();
    }

    end() {
        clearTimeout(this.#timer);
        navigations.delete(this.#details.requestId);
        if (this.#question) host?.cancel(this.#question);
        this.#resolve({});
    }
}

function attach(page) {
    const navigation = navigations.get(page.name);
    // The ids of navigations can be guessed, and any site may open this page in a tab of its own: so the tab must be
    // the same.
    if (navigation && !navigation.page && page.sender.tab?.id === navigation.tabId) {
        navigation.attach(page);
    } else {
        page.disconnect();
    }
}
