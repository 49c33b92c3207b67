// SPDX-License-Identifier: Apache-2.0
// Every request of the page. A request is a value, so that each can also be shown as the curl that it is.

const here = new URL('.', import.meta.url);
here.username = '';
here.password = '';

let known = null;

/** What went wrong, in words. */
export class Problem extends Error {
    /** @param kind away, login, refused, read-only, hidden or problem */
    constructor(kind, title, detail, code = '') {
        super(`${title}: ${detail}`);
        this.kind = kind;
        this.title = title;
        this.detail = detail;
        this.code = code;
    }
}

/** Asks who the user is, where the endpoints are, and what the user may do there. */
export async function open() {
    const response = await fetchOnce({ method: 'GET', url: new URL('session', here).href }, null);
    const { body } = await read(response, 'GET');
    const header = response.headers.get('SafeBunny-Csrf-Header');
    if (!body.csrf && header) {
        body.csrf = { header, token: response.headers.get('SafeBunny-Csrf-Token') };
    }
    known = body;
    return known;
}

/** The session, once it is open. */
export const session = () => known;

/** Whether the user may change something through this endpoint. */
export const mayChange = endpoint => known.endpoints[endpoint].writes;

/** A name as one segment of a path. */
export const segment = name => encodeURIComponent(name);

function address(endpoint, path, query = {}) {
    const place = known.endpoints[endpoint];
    if (place.at === null) {
        throw new Problem('hidden', 'Not exposed', place.refusal);
    }
    const url = new URL(path ? `${place.at}/${path}` : place.at, here);
    for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== null && value !== '') {
            url.searchParams.set(name, value);
        }
    }
    return url.href;
}

export const look = (endpoint, path, query) => ({ method: 'GET', url: address(endpoint, path, query) });

/** @param body absent values are left out */
export function change(endpoint, path, body) {
    const given = Object.entries(body).filter(([, value]) => value !== undefined && value !== null && value !== '');
    return { method: 'POST', url: address(endpoint, path), body: Object.fromEntries(given) };
}

export const remove = (endpoint, path) => ({ method: 'DELETE', url: address(endpoint, path) });

const quoted = text => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The request as a command for a shell. */
export function curl(request) {
    const words = ['curl', '-s'];
    if (known.user !== 'anonymous') {
        words.push('-u', quoted(known.user));
    }
    if (request.method === 'DELETE') {
        words.push('-X', 'DELETE');
    }
    if (request.body) {
        words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(request.body)));
    }
    return [...words, quoted(request.url)].join(' ');
}

/**
 * Sends a request.
 *
 * @returns the body of the answer, and its text
 * @throws Problem
 */
export async function send(request, signal) {
    let response;
    for await (const token of tokens(request)) {
        response = await fetchOnce(request, token, signal);
        if (response.status !== 403 || isProblem(response)) {
            break;
        }
    }
    return read(response, request.method);
}

/** What to try against a refusal for the lack of a token; a request that is refused for it has changed nothing. */
async function* tokens(request) {
    if (request.method === 'GET') {
        yield null;
        return;
    }
    yield known.csrf;
    const cookie = /(?:^|; )XSRF-TOKEN=([^;]*)/.exec(document.cookie);
    if (cookie) {
        yield { header: 'X-XSRF-TOKEN', token: decodeURIComponent(cookie[1]) };
    }
    if (known.csrf) { // the session may be another one by now
        yield (await open()).csrf;
    }
}

async function fetchOnce(request, token, signal) {
    const headers = {
        Accept: 'application/json, application/problem+json',
        'X-Requested-With': 'XMLHttpRequest', // else Spring Security has the browser ask for a password, and nothing answers until then
    };
    if (request.body) {
        headers['Content-Type'] = 'application/json';
    }
    if (token) {
        headers[token.header] = token.token;
    }
    try {
        return await fetch(request.url, {
            method: request.method,
            headers,
            body: request.body && JSON.stringify(request.body),
            redirect: 'manual',
            cache: 'no-store',
            signal,
        });
    } catch (failure) {
        throw new Problem('away', 'No answer', `The application does not answer (${failure.message}). Check that it runs; the page asks again.`);
    }
}

const typeOf = response => response.headers.get('Content-Type') ?? '';
const isProblem = response => typeOf(response).includes('application/problem+json');

async function read(response, method) {
    if (response.type === 'opaqueredirect' || response.status === 401 || (response.ok && typeOf(response).includes('text/html'))) {
        throw new Problem('login', 'Logged out', 'The application asks for a login. Load the page again, and log in.');
    }
    const text = await response.text();
    const body = typeOf(response).includes('json') && text ? JSON.parse(text) : null;
    if (response.ok) {
        return { body, text };
    }
    if (body?.detail) {
        throw new Problem('problem', body.title ?? String(response.status), body.detail, body.code);
    }
    throw unexplained(response.status, method);
}

function unexplained(status, method) {
    if (status === 403) {
        return new Problem('refused', 'Forbidden', method === 'GET'
            ? 'Spring Security does not let this user look here. Permit the user to read this endpoint.'
            : 'Spring Security does not let this user change something here, or found no token against requests of other sites. Permit the user, '
                + 'or hand the token over: http.csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())).');
    }
    if (status === 405) {
        return new Problem('read-only', 'Read-only', 'The endpoint is read-only. Set its access to unrestricted to change something here.');
    }
    return new Problem('problem', `Status ${status}`, 'The application gives no reason. Its log may have one.');
}
