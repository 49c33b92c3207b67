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

let isQuiet = false;

function current() {
    const [path, query] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
    return { path: path.split('/').map(decoded), query: Object.fromEntries(new URLSearchParams(query ?? '')), isQuiet };
}

/** A link to a place of the page. Absent values of the query are left out; an empty text is a value. */
export function href(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const text = new URLSearchParams(given).toString();
    return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** Goes there without a step in the history, as for each letter of a filter. Whoever types keeps the focus. */
export function replace(path, query) {
    const before = location.hash;
    location.replace(href(path, query));
    isQuiet ||= location.hash !== before;
}

/** Where the page is, and whether somebody has only typed a filter. */
export function useRoute() {
    const [route, setRoute] = useState(current);
    useEffect(() => {
        const moved = () => {
            setRoute(current());
            isQuiet = false;
        };
        addEventListener('hashchange', moved);
        moved(); // it may have been while this was drawn for the first time
        return () => removeEventListener('hashchange', moved);
    }, []);
    return route;
}
