// One connection to the native host: questions with ids, and the answers to each. Used by the background and, in
// Chromium, by each page that waits, so that closing the page ends its questions.

const NAME = 'lanyard.sso';
// Of the messages between this extension and the host; Sources/Programs/DeviceCommands/NativeHost has the other side.
export const PROTOCOL_VERSION = 1;

const LAST = new Set(['hello', 'done', 'finished', 'unavailable']);

export class Host {
    #port = null;
    #lastId = 0;
    #questions = new Map();
    #onEvent;
    #onEnd;

    // onEvent gets what nobody asked for; onEnd is called once, with a reason.
    constructor({ onEvent = () => {}, onEnd = () => {} } = {}) {
        this.#onEvent = onEvent;
        this.#onEnd = onEnd;
        try {
            this.#port = chrome.runtime.connectNative(NAME);
        } catch (error) {
            queueMicrotask(() => this.#end('noHost', String(error)));
            return;
        }
        this.#port.onMessage.addListener((message) => this.#receive(message));
        this.#port.onDisconnect.addListener((port) => {
            const error = chrome.runtime.lastError ?? port.error;
            this.#end('noHost', error?.message ?? 'The native host ended.');
        });
        // What follows is sent at once; a host of another version answers it with `unavailable`.
        this.ask({ type: 'hello', version: PROTOCOL_VERSION }, (answer) => {
            if (answer.type === 'unavailable') return;
            if (answer.type !== 'hello' || answer.version !== PROTOCOL_VERSION) {
                this.#end('versionMismatch', `The host speaks version ${answer.version}.`);
            } else {
                showNotice(null);
            }
        });
    }

    // Asks, and calls back with each answer. The last has one of the types in LAST, or is the last of the rules.
    ask(question, answered) {
        const id = ++this.#lastId;
        this.#questions.set(id, answered);
        try {
            if (!this.#port) throw new Error('there is no host');
            this.#port.postMessage({ id, ...question });
        } catch (error) {
            queueMicrotask(() => this.#end('noHost', String(error)));
        }
        return id;
    }

    // Nobody waits for the answer any more.
    cancel(id) {
        if (!this.#questions.delete(id) || !this.#port) return;
        this.#port.postMessage({ id: ++this.#lastId, type: 'cancel', request: id });
    }

    close() {
        this.#questions.clear();
        this.#port?.disconnect();
        this.#port = null;
    }

    #receive(message) {
        if (message?.id === 0) {
            this.#onEvent(message);
            return;
        }
        const answered = this.#questions.get(message?.id);
        if (!answered) return;
        if (LAST.has(message.type) || (message.type === 'rules' && !message.more)) this.#questions.delete(message.id);
        if (message.type === 'unavailable' && message.reason === 'versionMismatch') {
            showNotice('noticeVersion');
        }
        answered(message);
    }

    #end(reason, detail) {
        const waiting = [...this.#questions.values()];
        if (this.#onEnd === null) return;
        const onEnd = this.#onEnd;
        this.#onEnd = null;
        this.close();
        showNotice(reason === 'versionMismatch' ? 'noticeVersion' : 'noticeHost');
        for (const answered of waiting) answered({ type: 'unavailable', reason, detail });
        onEnd(reason, detail);
    }
}

// A mark on the extension's button that says why single sign-on is paused; null takes it away.
function showNotice(name) {
    chrome.action?.setBadgeText({ text: name ? '!' : '' });
    chrome.action?.setTitle({ title: chrome.i18n.getMessage(name ?? 'name') });
}
