// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { href } from './route.js';
import { short } from './sequence.js';

/** Of more, those that need a look are drawn; the tables have all. */
const MOST_QUEUES = 12;
const MOST_ARROWS = 4;
const EXCHANGE = { x: 8, width: 180, letters: 24 };
const QUEUE = { x: 480, width: 270, letters: 37 };
const END = QUEUE.x + QUEUE.width;
const WIDTH = END + 210;
const LETTERS_OF_A_KEY = 38;
const LETTERS_OF_WHAT_DIFFERS = 34;
const LETTERS_OF_A_NODE = 26;
const TITLE = 26;
const ROW = 58;
const ARROW = 22;
const GAP = 10;

const WORDS = { AS_PLANNED: 'as planned', MISSING: 'missing', DIFFERENT: 'different', UNPLANNED: 'left over' };

export const wordsOf = mark => (Object.hasOwn(WORDS, mark) ? WORDS[mark] : 'not compared');

export const differs = ({ mark }) => mark === 'MISSING' || mark === 'DIFFERENT' || mark === 'UNPLANNED';

const classOf = mark => `mark-${wordsOf(mark).replace(' ', '-')}`;

function byQueue(bindings) {
    const found = new Map();
    bindings.forEach(binding => {
        if (!found.has(binding.queue)) {
            found.set(binding.queue, []);
        }
        found.get(binding.queue).push(binding);
    });
    return found;
}

/** Before the others come the queues that differ, then those of which nobody takes what waits, then the fullest. */
function byNeed(bound) {
    const need = queue => (differs(queue) || (bound.get(queue.name) ?? []).some(differs) ? 2
        : queue.depth?.ready > 0 && queue.depth.consumers === 0 ? 1 : 0);
    return (one, other) => need(other) - need(one) || (other.depth?.ready ?? 0) - (one.depth?.ready ?? 0) || one.name.localeCompare(other.name);
}

function placeOf({ role, type, mark }) {
    switch (role) {
        case 'HANDLED': return mark === 'UNPLANNED' ? null : [['types', type]];
        case 'POISON': return [['poison']];
        case 'ARCHIVE': return [['poison'], { archived: true }];
        default: return null;
    }
}

function endOf({ role, mark, depth }, node) {
    if (role === 'POISON' || role === 'ARCHIVE' || role === 'UNROUTED') {
        return 'kept for people to look at';
    }
    if (mark === 'UNPLANNED') {
        return 'nobody consumes it';
    }
    const who = short(node, LETTERS_OF_A_NODE);
    return !depth ? who : `${who}, ${depth.consumers === 0 ? 'no consumer' : `${depth.consumers} ${depth.consumers === 1 ? 'consumer' : 'consumers'}`}`;
}

const depthOf = depth => (depth ? `${depth.ready} ready, ${depth.unacknowledged} unacknowledged` : '');

/** A queue with the bindings through which it gets its messages: those of its exchange, and what differs of the others. */
function queueRow(queue, exchange, bindings, node) {
    const own = bindings.filter(binding => binding.exchange === exchange?.name || differs(binding)).sort((one, other) => differs(other) - differs(one));
    const arrows = own.slice(0, MOST_ARROWS);
    const left = bindings.filter(binding => !arrows.includes(binding));
    const off = left.filter(differs).length;
    return {
        box: queue,
        lines: [depthOf(queue.depth)],
        place: placeOf(queue),
        end: endOf(queue, node),
        arrows: arrows.map(binding => ({
            key: `${binding.exchange} ${binding.routingKey}`,
            mark: binding.mark,
            isElsewhere: binding.exchange !== exchange?.name,
            text: binding.exchange === exchange?.name ? binding.routingKey : `${binding.exchange}: ${binding.routingKey}`,
        })),
        rest: left.length === 0 ? '' : `and ${left.length} other ${left.length === 1 ? 'binding' : 'bindings'}${off > 0 ? `, ${off} of them not as planned` : ''}`,
    };
}

/** Whether delays lead to this exchange is not compared. */
const exchangeRow = (exchange, line, end) => ({
    box: exchange, lines: [line], place: null, end, rest: '', arrows: [{ key: 'delay', mark: 'UNKNOWN', text: 'when the delay is over' }],
});

const heightOf = ({ arrows, rest }) => Math.max(ROW, (arrows.length + (rest ? 1 : 0)) * ARROW + GAP);

function sectionsOf({ node, exchanges = [], queues = [], bindings = [] }) {
    const bound = byQueue(bindings);
    const exchangeOf = role => exchanges.find(exchange => exchange.role === role);
    const rows = (exchange, ...roles) => queues.filter(queue => roles.includes(queue.role)).sort(byNeed(bound)).slice(0, MOST_QUEUES)
        .map(queue => queueRow(queue, exchange, bound.get(queue.name) ?? [], node));
    const section = (title, line, role, ...roles) => ({ title, line, exchange: exchangeOf(role), rows: rows(exchangeOf(role), ...roles) });
    const delayed = [['RETRIES', 'delayed retries', 'back to their queues'], ['DUE', 'delayed publications', 'on to the queues above']];
    return [
        section('Publications, and who handles them', 'what nodes publish', 'PUBLICATIONS', 'HANDLED', 'POISON_WATCH'),
        {
            title: 'Delays', line: 'what waits for its time', exchange: exchangeOf('DELAYS'),
            rows: delayed.filter(([role]) => exchangeOf(role)).map(([role, line, end]) => exchangeRow(exchangeOf(role), line, end)),
        },
        section('Set aside', 'what fails for good', 'POISON', 'DEAD_LETTERS', 'POISON'),
        section('Discarded', 'what it sends to itself', 'OWN', 'ARCHIVE'),
        section('Delayed, and without a destination', 'what has no queue', 'UNROUTED', 'UNROUTED'),
    ].filter(({ exchange, rows: some }) => exchange && some.length > 0);
}

/** Draws a topology, with what differs from the plan. Says nothing that the tables of it do not. */
export function Picture({ of }) {
    const handled = (of.queues ?? []).filter(queue => queue.role === 'HANDLED' || queue.role === 'POISON_WATCH').length;
    const sections = sectionsOf(of);
    let y = 0;
    const drawn = sections.map(section => {
        const top = y + TITLE;
        const height = section.rows.reduce((sum, row) => sum + heightOf(row) + GAP, -GAP);
        y = top + height + GAP;
        return html`<${Section} key=${section.title} of=${section} top=${top} height=${height} />`;
    });
    return html`
        ${handled > MOST_QUEUES && html`
            <p class="faint">Drawn are ${MOST_QUEUES} of the ${handled} queues whose messages are handled: those that differ first, then the fullest. The other ${handled - MOST_QUEUES} are in the table only.</p>`}
        <div class="scroll" role="group" aria-label="The topology as a picture" tabindex="0">
            <svg class="picture" width=${WIDTH} height=${y} viewBox="0 0 ${WIDTH} ${y}" role="group" aria-label="Exchanges, bindings and queues: as in the tables below">
                ${drawn}
            </svg>
        </div>`;
}

function Section({ of: { title, line, exchange, rows }, top, height }) {
    let y = top;
    return html`
        <text x=${EXCHANGE.x} y=${top - GAP} class="title">${title}</text>
        <${Box} of=${exchange} at=${EXCHANGE} y=${top} height=${height} lines=${[line]} />
        ${rows.map(row => {
            const at = y;
            y += heightOf(row) + GAP;
            return html`<${Row} key=${row.box.name} of=${row} y=${at} />`;
        })}`;
}

function Row({ of: { box, lines, place, end, arrows, rest }, y }) {
    const height = heightOf({ arrows, rest });
    const middle = y + height / 2;
    const drawn = html`<${Box} of=${box} at=${QUEUE} y=${y} height=${height} lines=${lines} isLink=${place !== null} />`;
    return html`
        ${arrows.map((arrow, i) => html`<${Arrow} key=${arrow.key} of=${arrow} y=${y + ARROW * (i + 1) - 2} />`)}
        ${rest && html`<text x=${EXCHANGE.x + EXCHANGE.width + 28} y=${y + ARROW * (arrows.length + 1) - 6} class="faint">${rest}</text>`}
        ${place ? html`<a href=${href(...place)}>${drawn}</a>` : drawn}
        <line x1=${END} x2=${END + 22} y1=${middle} y2=${middle} />
        <path d="M${END + 28} ${middle} l-8 -5 v10 Z" class="tip" />
        <text x=${END + 34} y=${middle + 4}>${end}</text>`;
}

/** A queue, or an exchange, which is round. What differs has another line, a flag in its corner, and says how. */
function Box({ of: { name, kind, mark }, at: { x, width, letters }, y, height, lines, isLink }) {
    const off = differs({ mark });
    const all = [...lines, mark !== 'AS_PLANNED' && wordsOf(mark)].filter(Boolean);
    return html`
        <g class=${`box ${classOf(mark)}`}>
            <rect x=${x} y=${y} width=${width} height=${height} rx=${kind ? 14 : 2} />
            ${off && html`<path d="M${x + width - 18} ${y} h18 v18 Z" class="flag" />`}
            <text x=${x + 10} y=${y + 18} class=${isLink ? 'name link' : 'name'}>${short(name, letters - (off ? 3 : 0))}</text>
            ${all.map((line, i) => html`${' '}<text key=${line} x=${x + 10} y=${y + 34 + 15 * i} class=${off && i === all.length - 1 ? 'off' : 'faint'}>${line}</text>`)}
        </g>`;
}

/** A binding of another exchange begins at a point of its own. */
function Arrow({ of: { mark, isElsewhere, text }, y }) {
    const from = EXCHANGE.x + EXCHANGE.width + (isElsewhere ? 20 : 0);
    const off = differs({ mark });
    return html`
        <g class=${classOf(mark)}>
            ${isElsewhere && html`<circle cx=${from} cy=${y} r="4" class="tip" />`}
            <line x1=${from} x2=${QUEUE.x - 8} y1=${y} y2=${y} />
            <path d="M${QUEUE.x} ${y} l-8 -5 v10 Z" class="tip" />
            <text x=${EXCHANGE.x + EXCHANGE.width + 28} y=${y - 4} class=${off ? 'off' : undefined}>${off ? short(`${wordsOf(mark)}: ${text}`, LETTERS_OF_WHAT_DIFFERS) : short(text, LETTERS_OF_A_KEY)}</text>
        </g>`;
}
