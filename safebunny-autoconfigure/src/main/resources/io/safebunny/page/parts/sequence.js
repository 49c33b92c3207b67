// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { timeOfDay } from './time.js';
import { plain } from './words.js';

/** More than that is looked at in the table. */
const MOST = 100;
const MARGIN = 90;
const COLUMN = 220;
const ROW = 44;
const TOP = 50;
/** Room for the words of the last line. */
const WORDS = 520;
const LETTERS = 60;
const LETTERS_OF_A_NAME = 26;

export const short = (text, letters = LETTERS) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

const day = at => new Date(at).toLocaleDateString();

/** Draws events as a sequence: a line for each node, from the first event down to the last. Says nothing that the table of them does not. */
export function Sequence({ of }) {
    const events = of.slice(-MOST);
    const nodes = [...new Set(events.flatMap(({ from, node }) => (from ? [from, node] : [node])))];
    if (nodes.length === 0) {
        return html`<p class="faint">Nothing that has a time is known.</p>`;
    }
    const x = node => MARGIN + COLUMN / 2 + nodes.indexOf(node) * COLUMN;
    const width = MARGIN + nodes.length * COLUMN - COLUMN / 2 + WORDS;
    const height = TOP + events.length * ROW + 20;
    return html`
        ${of.length > MOST && html`<p class="faint">The latest ${MOST} of ${of.length}.</p>`}
        <div class="scroll" role="group" aria-label="The same as a diagram" tabindex="0">
            <svg class="sequence" width=${width} height=${height} viewBox="0 0 ${width} ${height}" role="img" aria-label="What happened, in order, at ${nodes.join(', ')}: as in the table above">
                ${nodes.map(node => html`
                    <g key=${node}>
                        <text x=${x(node)} y="20" text-anchor="middle" class="name">${short(node, LETTERS_OF_A_NAME)}</text>
                        <line x1=${x(node)} x2=${x(node)} y1="30" y2=${height} class="life" />
                    </g>`)}
                ${events.map((event, at) => html`<${Drawn} key=${`${event.at} ${event.node} ${event.subject} ${event.what}`} of=${event} x=${x} y=${TOP + at * ROW + 20}
                    day=${at === 0 || day(event.at) !== day(events[at - 1].at) ? day(event.at) : ''} />`)}
            </svg>
        </div>`;
}

/** An arrow if it came from another node, otherwise a dot on the line of its node. */
function Drawn({ of: { at, node, from, what, expected }, x, y, day }) {
    const to = x(node);
    const start = from && from !== node ? x(from) : null;
    const tip = start === null || start < to ? to - 8 : to + 8;
    return html`
        <g class=${expected ? 'expected' : 'happened'}>
            ${day && html`<text x="4" y=${y - 12} class="time">${day}</text>`}
            <text x="4" y=${y + 4} class="time">${timeOfDay(at)}</text>
            ${start === null
                ? html`<circle cx=${to} cy=${y} r="5" />`
                : html`<line x1=${start} x2=${to} y1=${y} y2=${y} class="arrow" /><path d="M${to} ${y} L${tip} ${y - 5} L${tip} ${y + 5} Z" />`}
            <text x=${to + 10} y=${y - 6}>${short(plain(what))}</text>
        </g>`;
}
