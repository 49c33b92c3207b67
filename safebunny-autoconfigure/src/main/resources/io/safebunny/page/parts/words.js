// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';

/** A sentence, in which names of types are between backticks. */
export function Words({ of }) {
    return of.split('`').map((text, at) => (at % 2 === 1 ? html`<code>${text}</code>` : text));
}
