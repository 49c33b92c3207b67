// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../vendor/htm-preact.js';
import { href } from './route.js';

const STEP = 100;

/**
 * A table of at most a hundred rows, and more when asked. The roles are said because on a phone its parts are laid out as blocks, and
 * browsers take that for the end of the table.
 *
 * @param columns each with a name and what is in its cell for a row: what the row has of that name, if not said
 * @param rows none if absent
 * @param id what tells a row from the others
 * @param empty what to say if there is no row
 */
export function Table({ caption, columns, rows = [], id, empty }) {
    const [shown, setShown] = useState(STEP);
    if (rows.length === 0) {
        return html`<p class="faint">${empty}</p>`;
    }
    return html`
        <div class="scroll" role="group" aria-label=${caption} tabindex="0">
            <table role="table">
                <caption>${caption}</caption>
                <thead role="rowgroup">
                    <tr role="row">${columns.map(column => html`<th scope="col" role="columnheader" key=${column.name}>${column.name}</th>`)}</tr>
                </thead>
                <tbody role="rowgroup">
                    ${rows.slice(0, shown).map(row => html`
                        <tr role="row" key=${id(row)} data-row=${id(row)}>
                            ${columns.map(column => html`<td role="cell" key=${column.name} data-label=${column.name}>${column.cell ? column.cell(row) : row[column.name]}</td>`)}
                        </tr>`)}
                </tbody>
            </table>
        </div>
        ${rows.length > shown && html`
            <p><button type="button" onClick=${() => setShown(shown + STEP)}>Show more (${rows.length - shown} are left)</button></p>`}`;
}

/** Takes some of what is there already, or drops it; asks nobody. */
export function Choice({ label, choose }) {
    return html`<button type="button" onClick=${choose}>${label}</button>`;
}

/** Names and values. Pairs without a value are left out. */
export function Facts({ of }) {
    const known = of.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
    return html`<dl class="facts">${known.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The name of a class, which breaks at its dots. */
export const ClassName = ({ of }) => of.split('.').map((part, at) => html`${at > 0 && html`.<wbr />`}${part}`);

/** An id on one line: cut by an ellipsis where there is no room, and marked as a whole, to be copied. */
export const Id = ({ of }) => html`<span class="id" title=${of}>${of}</span>`;

/** The same, as a link to its place on a page. */
export const IdLink = ({ page, of }) => html`<a href=${href([page, of])}><${Id} of=${of} /></a>`;

export const inWords = constant => String(constant).toLowerCase().replaceAll('_', ' ');

export const countsIn = counts => Object.entries(counts ?? {}).map(([one, count]) => `${count} ${inWords(one)}`).join(', ');

/** What the states of a breaker mean for its type. */
const WORDS = { closed: 'handled', open: 'not handled', half_open: 'on trial' };

/**
 * A state as a word that is not told by its colour alone.
 *
 * @param level of the colour, if it is not that of the word
 */
export function Badge({ of = 'unknown', level = of }) {
    const word = String(of).toLowerCase();
    return html`<span class="badge" data-level=${String(level).toLowerCase()}>${Object.hasOwn(WORDS, word) ? WORDS[word] : inWords(word)}</span>`;
}

/**
 * A field of a filter. What is typed stays while answers come, and gives way only to another place in the history.
 *
 * @param value of the address; absent for any
 * @param set told what was typed, undefined for nothing
 * @param live with each letter, and not only at the end
 */
export function TextFilter({ id, label, value = '', set, live = false }) {
    const [typed, setTyped] = useState(value);
    useEffect(() => setTyped(value), [value]);

    function type(event) {
        setTyped(event.target.value);
        if (live) {
            set(event.target.value || undefined);
        }
    }

    return html`
        <span class="pair">
            <label for=${id}>${label}</label>
            <input id=${id} value=${typed} autocomplete="off" onInput=${type} onChange=${event => set(event.target.value || undefined)} />
        </span>`;
}

/** The same of a few values, the empty one for any, each with its text. */
export const Choose = ({ id, label, value = '', of, set }) => html`
    <span class="pair">
        <label for=${id}>${label}</label>
        <select id=${id} value=${value} onChange=${event => set(event.target.value || undefined)}>
            ${of.map(([one, text]) => html`<option key=${one} value=${one}>${text}</option>`)}
        </select>
    </span>`;
