// SPDX-License-Identifier: Apache-2.0
// Every request of the page. A request is a value, so that each can also be shown as the curl that it is.

const here = new URL('.', import.meta.url);
here.username = '';
here.password = '';

/** How long a look may take, in milliseconds. */
export const PATIENCE = 15_000;
/** The same of one that somebody has asked for: to read thousands of messages takes its time. */
export const PATIENCE_OF_ONE = 120_000;
/** How long a change may take: the application waits for some of them. */
const PATIENCE_FOR_CHANGES = 30_000;
/** For how long two instances behind one address are told of, after both have answered. */
const MIXED = 600_000;
/** Two clocks differ by more than an answer may take. */
const DIFFERENT = 1_500;

/** Under which it is kept where the user was when the session ended: a login takes the hash of the address away. */
const LEFT = 'safebunny-left';

const DRAFT = 'safebunny-draft';

const UNSURE = 'Nobody knows whether it was carried out. Look at the operations, or at the history, before you repeat it.';

let known = null;
let skew = 0;
let isLoggedOut = false;
const instances = { last: null, seenAt: new Map(), mixedAt: -Infinity };

export class Problem extends Error {
    /**
     * @param kind away, login, refused, read-only, hidden, unsure or problem
     * @param body of the answer, if it explains itself
     */
    constructor(kind, title, detail, code = '', body = {}) {
        super(`${title}: ${detail}`);
        this.kind = kind;
        this.title = title;
        this.detail = detail;
        this.code = code;
        this.body = body;
    }
}

/** Asks who the user is, where the endpoints are, and what the user may do there. */
export async function open() {
    const request = { method: 'GET', url: new URL('session', here).href };
    const response = await fetchOnce(request, null);
    const { body } = await read(response, request);
    const header = response.headers.get('SafeBunny-Csrf-Header');
    if (!body.csrf && header) {
        body.csrf = { header, token: response.headers.get('SafeBunny-Csrf-Token') };
    }
    known = body;
    return known;
}

export const session = () => known;

export const mayChange = endpoint => known.endpoints[endpoint].writes;

export const isExposed = endpoint => (known.endpoints[endpoint]?.at ?? null) !== null;

/** The time by the clock of the application, in milliseconds. */
export const serverTime = () => Date.now() + skew;

const isOfLate = at => Date.now() - at < MIXED;

export const answering = () => instances.last;

/** The instances that answer in turns at this address; empty if it is one. */
export const mixed = () => (isOfLate(instances.mixedAt)
    ? [...instances.seenAt.keys()].filter(instance => isOfLate(instances.seenAt.get(instance))).sort()
    : []);

/** An instance that has answered, was followed by another, and answers again, is not one that was started anew. */
function answeredBy(instance) {
    if (instance !== instances.last && instances.seenAt.has(instance)) {
        instances.mixedAt = Date.now();
    }
    instances.seenAt.set(instance, Date.now());
    instances.last = instance;
}

/** Where the user was when the session ended, once; null if it did not. */
export function placeThatWasLeft() {
    const left = stored(storage => storage.getItem(LEFT));
    stored(storage => storage.removeItem(LEFT));
    return left;
}

function stored(use) {
    try {
        return use(sessionStorage);
    } catch { // the browser keeps nothing
        return null;
    }
}

/** What somebody has typed into a dialog and not sent, after the page was loaded anew: null if nothing, or if it was somebody else. */
export function draftOf(title) {
    try {
        const draft = JSON.parse(stored(storage => storage.getItem(DRAFT)));
        return draft?.title === title && draft.user === known.user ? draft.values : null;
    } catch { // not ours
        return null;
    }
}

/** Keeps what is typed for this tab alone, until it is sent or given up. */
export const keepDraft = (title, user, values) => stored(storage => storage.setItem(DRAFT, JSON.stringify({ title, user, values })));

export const dropDraft = () => stored(storage => storage.removeItem(DRAFT));

/** A name as one segment of a path. */
export const segment = name => encodeURIComponent(name);

/** An id as the end of a path, or as a parameter where no server lets it through in a path. */
export function place(folder, id, parameter) {
    return /^(?!\.+$)[\w.:-]+$/.test(id)
        ? { path: folder ? `${folder}/${segment(id)}` : segment(id), query: {} }
        : { path: folder, query: { [parameter]: id } };
}

const given = values => Object.entries(values).filter(([, value]) => value !== undefined && value !== null);

function address(endpoint, path, query = {}) {
    const { at, refusal } = known.endpoints[endpoint];
    if (!isExposed(endpoint)) {
        throw new Problem('hidden', 'Not exposed', refusal);
    }
    const url = new URL(path ? `${at}/${path}` : at, here);
    for (const [name, value] of given(query)) {
        url.searchParams.set(name, value);
    }
    return url.href;
}

/** @param query absent values are left out; an empty text is a value */
export const look = (endpoint, path, query) => ({ method: 'GET', url: address(endpoint, path, query) });

/** @param body absent values are left out; an empty text is a value */
export const change = (endpoint, path, body) => ({ method: 'POST', url: address(endpoint, path), body: Object.fromEntries(given(body)) });

export const remove = (endpoint, path) => ({ method: 'DELETE', url: address(endpoint, path) });

const quoted = text => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Content does not belong into the history of a shell. */
const isContent = body => ['edit', 'patch'].includes(body?.action);

/**
 * The request as a command for a POSIX shell, without a login.
 *
 * @returns the command, and the content of the file that it reads, or null
 */
export function curl({ method, url, body }) {
    const words = ['curl', '-sS'];
    if (method === 'DELETE') {
        words.push('-X', 'DELETE');
    }
    if (body) {
        words.push('-H', quoted('Content-Type: application/json'), '-d', isContent(body) ? '@change.json' : quoted(JSON.stringify(body)));
    }
    return { command: [...words, quoted(url)].join(' '), file: isContent(body) ? JSON.stringify(body, null, 2) : null };
}

/**
 * Sends a request.
 *
 * @param signal ends it, for a look
 * @param patience in milliseconds, for a look
 * @param user whose change it is; it is sent as no other's
 * @returns the body of the answer, and its text
 * @throws Problem
 */
export async function send(request, { signal, patience, user } = {}) {
    let response;
    for await (const token of tokens(request, user)) {
        response = await fetchOnce(request, token, { signal, patience });
        if (response.status !== 403 || isProblem(response)) {
            break;
        }
    }
    return read(response, request);
}

/** What to try against a refusal for the lack of a token; a request that is refused for it has changed nothing. */
async function* tokens({ method }, user = known.user) {
    if (method === 'GET') {
        yield null;
        return;
    }
    requireUser(user);
    yield known.csrf;
    const tried = known.csrf ? [known.csrf.token, bare(known.csrf.token)] : [];
    const cookie = /(?:^|; )XSRF-TOKEN=([^;]*)/.exec(document.cookie);
    if (cookie && !tried.includes(decoded(cookie[1]))) {
        yield { header: 'X-XSRF-TOKEN', token: decoded(cookie[1]) };
    }
    if (known.csrf) { // the session may be another one by now
        const { csrf } = await open();
        requireUser(user);
        if (csrf && !tried.includes(bare(csrf.token))) {
            yield csrf;
        }
    }
}

function requireUser(user) {
    if (known.user !== user) {
        throw loggedOut('Somebody else is logged in', `This was begun as ${user}, and now ${known.user} is logged in. Nothing was changed. Load the page again.`);
    }
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch { // somebody else's cookie
        return text;
    }
}

/** The token itself. Spring Security hides it anew in each answer: random bytes, then the token combined with them. */
function bare(token) {
    try {
        const bytes = Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));
        const half = Math.floor(bytes.length / 2);
        return String.fromCharCode(...bytes.slice(half).map((byte, at) => byte ^ bytes[at]));
    } catch { // not hidden
        return token;
    }
}

async function fetchOnce({ method, url, body, isText }, token, { signal, patience = PATIENCE } = {}) {
    const headers = {
        Accept: `${isText ? 'text/plain, ' : ''}application/json, application/problem+json`,
        'X-Requested-With': 'XMLHttpRequest', // else Spring Security has the browser ask for a password, and nothing answers until then
    };
    if (body) {
        headers['Content-Type'] = 'application/json';
    }
    if (token) {
        headers[token.header] = token.token;
    }
    const timeout = AbortSignal.timeout(method === 'GET' ? patience : PATIENCE_FOR_CHANGES);
    try {
        return await fetch(url, {
            method,
            headers,
            body: body && JSON.stringify(body),
            redirect: 'manual',
            cache: 'no-store',
            signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
    } catch (failure) {
        throw unanswered(method, failure);
    }
}

function unanswered(method, failure) {
    const why = `The application does not answer (${failure.message}).`;
    return method === 'GET'
        ? new Problem('away', 'No answer', `${why} Check that it runs; the page asks again.`)
        : new Problem('unsure', 'No answer', `${why} ${UNSURE}`);
}

function loggedOut(title, detail) {
    isLoggedOut = true;
    stored(storage => storage.setItem(LEFT, location.hash));
    return new Problem('login', title, detail);
}

const typeOf = response => response.headers.get('Content-Type') ?? '';
const isProblem = response => typeOf(response).includes('application/problem+json');

async function read(response, { method, isText }) {
    if (response.type === 'opaqueredirect' || response.status === 401) {
        throw loggedOut('Logged out', 'The application asks for a login. Load the page again, and log in.');
    }
    if (response.ok && typeOf(response).includes('html')) {
        throw loggedOut('A page instead of an answer',
            'The application, or a proxy before it, answers with a page: for a login, or because it is being maintained. Load the page again to see it.');
    }
    let text;
    try {
        text = await response.text();
    } catch (failure) {
        throw unanswered(method, failure);
    }
    const body = isText && response.ok ? {} : parsed(response, text);
    if (response.status === 405) {
        throw new Problem('read-only', 'Read-only', 'The endpoint is read-only. Set its access to unrestricted to change something here.');
    }
    if (!response.ok) {
        throw body?.detail
            ? new Problem('problem', body.title ?? String(response.status), body.detail, body.code, body)
            : unexplained(response, method);
    }
    if (body === null) {
        throw unexplained(response, method);
    }
    hear(response, body);
    if (isLoggedOut) { // by now somebody has logged in, elsewhere
        isLoggedOut = false;
        placeThatWasLeft();
    }
    return { body, text };
}

/** Numbers that JavaScript would round are texts; null is what is not an object in JSON. */
function parsed(response, text) {
    if (!typeOf(response).includes('json')) {
        return null;
    }
    try {
        const body = JSON.parse(text, (name, value, context) =>
            (typeof value === 'number' && (context?.source ?? '').length > 15 ? context.source : value));
        return typeof body === 'object' ? body : null;
    } catch {
        return null;
    }
}

/** Takes what an answer says of who has made it, and when. */
function hear(response, { instance, asOf }) {
    if (typeof instance === 'string') {
        answeredBy(instance);
    }
    const at = Date.parse(instance && asOf ? asOf : response.headers.get('Date') ?? '');
    if (Math.abs(at - serverTime()) > DIFFERENT) {
        skew = at - Date.now();
    }
}

function unexplained(response, method) {
    const { status } = response;
    if (status === 403) {
        return new Problem('refused', 'Forbidden', method === 'GET'
            ? 'Spring Security does not let this user look here. Permit the user to read this endpoint.'
            : 'Spring Security does not let this user change something here, or found no token against requests of other sites. Permit the user, '
                + 'or hand the token over: http.csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())).');
    }
    const what = `The answer has the status ${status} and ${typeOf(response) || 'no type'}, and gives no reason.`;
    const who = [502, 503, 504].includes(status)
        ? 'A proxy before the application says so: check that the application runs.'
        : 'The log of the application, or of a proxy before it, may have one.';
    return method !== 'GET' && (response.ok || status >= 500)
        ? new Problem('unsure', `Status ${status}`, `${what} ${UNSURE}`)
        : new Problem('problem', `Status ${status}`, `${what} ${who}`);
}
