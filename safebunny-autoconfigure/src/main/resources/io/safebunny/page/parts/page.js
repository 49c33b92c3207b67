// SPDX-License-Identifier: Apache-2.0
import { html, useEffect } from '../vendor/htm-preact.js';
import { Curl } from './action.js';
import { Trouble } from './problem.js';

/**
 * The frame of a page: its title, the question that it answers, what went wrong, and the requests that it makes.
 *
 * @param requests those that are made to show it
 */
export function Page({ title, question, requests, problem, loading, children }) {
    useEffect(() => {
        document.title = `${title} · SafeBunny`;
    }, [title]);
    return html`
        <h1 tabindex="-1">${title}</h1>
        ${question && html`<p class="question">${question}</p>`}
        <${Trouble} problem=${problem} />
        ${loading && !problem && html`<p class="faint" role="status">Loading…</p>`}
        ${children}
        <details class="asked"><summary>This page as curl</summary><${Curl} of=${requests.filter(Boolean)} /></details>`;
}
