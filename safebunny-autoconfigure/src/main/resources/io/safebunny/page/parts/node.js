// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { session } from '../ask.js';
import { href } from './route.js';

/** The random end that an instance has after its HOSTNAME. */
const RANDOM = /-[0-9a-f]{8}$/;

/** A sentence is read at once. */
export const MOST_NAMES = 10;

export const names = all => (all.length > MOST_NAMES ? `${all.slice(0, MOST_NAMES).join(', ')} and ${all.length - MOST_NAMES} more` : all.join(', '));

export const nameOf = ({ node, instance }) => (instance ? `${instance} of ${node}` : node);

export const hostOf = instance => instance.replace(RANDOM, '');

/** Its address; null if this node's own configuration has none. */
export function pageOf(name) {
    const pages = session().pages ?? {}; // an older instance behind the same address has none
    return Object.hasOwn(pages, name) ? pages[name] : null;
}

/** A link only to an address that this node's own configuration has. */
export function Name({ of }) {
    const page = pageOf(of);
    return page ? html`<a href=${page} rel="noreferrer">${of}</a>` : of;
}

/** The same for an instance of this node, and to a place of its page. */
export function Instance({ of, to }) {
    const page = pageOf(hostOf(of));
    return page ? html`<a href=${page + href(to)} rel="noreferrer">${of}</a>` : of;
}
