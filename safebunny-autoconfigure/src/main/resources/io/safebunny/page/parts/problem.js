// SPDX-License-Identifier: Apache-2.0
import { html, useErrorBoundary } from '../vendor/htm-preact.js';

/** The page as it is loaded from the server: a link to it is not one to a place of it. */
const anew = () => location.href.split('#')[0];

export function Trouble({ problem }) {
    if (!problem) {
        return null;
    }
    return html`
        <div class="trouble" role="alert" data-kind=${problem.kind}>
            <strong>${problem.title ?? 'Fault of the page'}${problem.code ? ` (${problem.code})` : ''}</strong>
            <p>${problem.detail ?? problem.message}</p>
            ${problem.kind === 'login' && html`<p><a href=${anew()}>Load the page again</a>, and come back to this place.</p>`}
        </div>`;
}

/**
 * Keeps a fault of what is in it to itself.
 *
 * @param label of the button that has it drawn anew
 * @param then called by that button
 */
export function Boundary({ title, label = 'Try again', then, children }) {
    const [fault, reset] = useErrorBoundary();

    function again() {
        then?.();
        reset();
    }

    return fault
        ? html`<h1 tabindex="-1">${title}</h1><${Trouble} problem=${fault} /><p><button type="button" onClick=${again}>${label}</button></p>`
        : children;
}
