// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { session } from '../ask.js';

/** A link only to an address that this node's own configuration has. */
export function Name({ of }) {
    const pages = session().pages ?? {}; // an older instance behind the same address has none
    const page = Object.hasOwn(pages, of) ? pages[of] : null;
    return page ? html`<a href=${page} rel="noreferrer">${of}</a>` : of;
}
