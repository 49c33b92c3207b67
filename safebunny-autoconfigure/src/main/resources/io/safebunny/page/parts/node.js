// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { session } from '../ask.js';
import { href } from './route.js';
import { Id, IdLink } from './table.js';

/** The random end that an instance has after its HOSTNAME. */
const RANDOM = /-[0-9a-f]{8}$/;

/** A sentence is read at once. */
export const MOST_NAMES = 10;

export const names = all => (all.length > MOST_NAMES ? `${all.slice(0, MOST_NAMES).join(', ')} and ${all.length - MOST_NAMES} more` : all.join(', '));

export const nameOf = ({ node, instance }) => (instance ? `${instance} of ${node}` : node);

export const isHere = ({ node }) => node === session().node;

export const hostOf = instance => instance.replace(RANDOM, '');

/** Its address; null if this node's own configuration has none. */
export function pageOf(name) {
    const pages = session().pages ?? {}; // an older instance behind the same address has none
    return Object.hasOwn(pages, name) ? pages[name] : null;
}

/** A link only to an address that this node's own configuration has, or to a place of the page there. */
export function Name({ of, host = of, to, says = of }) {
    const page = pageOf(host);
    return page ? html`<a href=${to ? page + href(to) : page} rel="noreferrer">${says}</a>` : says;
}

export const Instance = ({ of, to }) => html`<${Name} of=${of} host=${hostOf(of)} to=${to} />`;

/** What was set aside is in the poison queue of its node; of one without a page that is known, there is the story. */
export const Aside = of => (isHere(of) || !pageOf(of.node)
    ? html`<${IdLink} page=${isHere(of) ? 'poison' : 'story'} of=${of.id} />`
    : html`<${Name} of=${of.node} to=${['poison', of.id]} says=${html`<${Id} of=${of.id} />`} />`);
