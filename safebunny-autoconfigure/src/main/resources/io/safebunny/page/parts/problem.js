// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';

/** What went wrong with a look, and what to do. */
export function Trouble({ problem }) {
    if (!problem) {
        return null;
    }
    return html`
        <div class="trouble" role="alert" data-kind=${problem.kind}>
            <strong>${problem.title ?? 'Fault of the page'}${problem.code ? ` (${problem.code})` : ''}</strong>
            <p>${problem.detail ?? problem.message}</p>
        </div>`;
}

/** What a change came to. */
export function Outcome({ children }) {
    return html`<div class="outcome" role="status">${children}</div>`;
}
