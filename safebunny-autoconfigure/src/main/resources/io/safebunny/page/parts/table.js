// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../vendor/htm-preact.js';

const STEP = 100;

/**
 * A table of at most a hundred rows, and more when asked.
 *
 * @param columns each with a name and what is in its cell for a row
 * @param id what tells a row from the others
 * @param empty what to say if there is no row
 */
export function Table({ caption, columns, rows, id, empty }) {
    const [shown, setShown] = useState(STEP);
    if (rows.length === 0) {
        return html`<p class="faint">${empty}</p>`;
    }
    return html`
        <div class="scroll" role="group" aria-label=${caption} tabindex="0">
            <table>
                <caption>${caption}</caption>
                <thead><tr>${columns.map(column => html`<th scope="col" key=${column.name}>${column.name}</th>`)}</tr></thead>
                <tbody>
                    ${rows.slice(0, shown).map(row => html`
                        <tr key=${id(row)} data-row=${id(row)}>
                            ${columns.map(column => html`<td key=${column.name} data-label=${column.name}>${column.cell(row)}</td>`)}
                        </tr>`)}
                </tbody>
            </table>
        </div>
        ${rows.length > shown && html`
            <p><button type="button" onClick=${() => setShown(shown + STEP)}>Show more (${rows.length - shown} are left)</button></p>`}`;
}

/** Names and values. Pairs without a value are left out. */
export function Facts({ of }) {
    const known = of.filter(([, value]) => value !== undefined && value !== null && value !== '');
    return html`<dl class="facts">${known.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A state as a word that is not told by its colour alone. */
export function Badge({ of }) {
    return html`<span class="badge" data-level=${String(of).toLowerCase()}>${String(of).toLowerCase().replaceAll('_', ' ')}</span>`;
}
