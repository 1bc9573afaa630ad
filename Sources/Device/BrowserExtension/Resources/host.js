// One connection to the native host. Each question has an id, by which its answers are found. It is used by the
// background and, in Chromium, by each waiting page, so that closing the page ends its questions.

const NAME = 'lanyard.sso';
// The version of the messages between this extension and the host, which Sources/Programs/DeviceCommands/NativeHost
// implements.
export const PROTOCOL_VERSION = 1;

const LAST = new Set(['hello', 'done', 'finished', 'unavailable']);

export class Host {
    #port = null;
    #lastId = 0;
    #questions = new Map();
    #onEvent;
    #onEnd;

    // Calls `onEvent` with each message that answers no question, and `onEnd` once, with the reason why the connection
    // ended.
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
        // Further questions are sent without waiting for this answer; a host of another version answers them with
        // `unavailable`.
        this.ask({ type: 'hello', version: PROTOCOL_VERSION }, (answer) => {
            if (answer.type === 'unavailable') return;
            if (answer.type !== 'hello' || answer.version !== PROTOCOL_VERSION) {
                this.#end('versionMismatch', `The host speaks version ${answer.version}.`);
            } else {
                showNotice(null);
            }
        });
    }

    // Asks, and calls `answered` with each answer. The last one has a type in LAST, or is a `rules` answer without
    // `more`.
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

    // Tells the host that the answer is no longer wanted.
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

// Marks the extension's button with the reason why single sign-on is paused; null removes the mark.
function showNotice(name) {
    chrome.action?.setBadgeText({ text: name ? '!' : '' });
    chrome.action?.setTitle({ title: chrome.i18n.getMessage(name ?? 'name') });
}
