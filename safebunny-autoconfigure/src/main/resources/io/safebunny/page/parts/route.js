// SPDX-License-Identifier: Apache-2.0
// The address of what is shown is in the hash, so it can be shared, and no proxy sees it.

import { useEffect, useState } from '../vendor/htm-preact.js';

const decoded = text => {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
};

function current() {
    const [path, query] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
    return { path: path.split('/').map(decoded), query: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

/** A link to a place of the page. Empty values of the query are left out. */
export function href(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
    const text = new URLSearchParams(given).toString();
    return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** Goes there without a step in the history, as for each letter of a filter. */
export const replace = (path, query) => location.replace(href(path, query));

/** Where the page is. */
export function useRoute() {
    const [route, setRoute] = useState(current);
    useEffect(() => {
        const moved = () => setRoute(current());
        addEventListener('hashchange', moved);
        return () => removeEventListener('hashchange', moved);
    }, []);
    return route;
}
