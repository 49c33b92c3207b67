// SPDX-License-Identifier: Apache-2.0
import { html, useMemo } from '../vendor/htm-preact.js';

/** Lines of both texts between their common beginning and their common end: beyond so many pairs, they are not compared. */
const MOST_PAIRS = 1_000_000;
const MOST_LETTERS = 400_000;
const AROUND = 3;

/** JSON with a line for each value, so that lines can be compared; other text as it is. */
export function pretty(text) {
    try {
        JSON.parse(text);
    } catch {
        return text;
    }
    return broken(text);
}

/** Breaks lines without reading numbers, which would lose digits. */
function broken(json) {
    let depth = 0;
    const line = by => {
        depth += by;
        return `\n${'  '.repeat(depth)}`;
    };
    const after = { '{': 1, '[': 1, ',': 0 };
    return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+|[{}[\],:]/g, part => {
        if (part in after) {
            return part + line(after[part]);
        }
        return part === '}' || part === ']' ? line(-1) + part : part === ':' ? ': ' : part.trim();
    });
}

/** Lines that are only in one of both, and some of those in both, in order; null if it would take too long. */
export function compared(before, after) {
    const old = before.split('\n');
    const now = after.split('\n');
    let head = 0;
    while (head < Math.min(old.length, now.length) && old[head] === now[head]) {
        head++;
    }
    let tail = 0;
    while (tail < Math.min(old.length, now.length) - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) {
        tail++;
    }
    const same = lines => lines.map(text => ({ sign: ' ', text }));
    const changed = middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
    return changed && [
        ...same(old.slice(Math.max(0, head - AROUND), head)),
        ...changed,
        ...same(old.slice(old.length - tail, old.length - tail + AROUND)),
    ];
}

function middle(old, now) {
    if (old.length * now.length > MOST_PAIRS) {
        return null;
    }
    const longest = old.map(() => new Uint32Array(now.length + 1));
    longest.push(new Uint32Array(now.length + 1));
    for (let i = old.length - 1; i >= 0; i--) {
        for (let j = now.length - 1; j >= 0; j--) {
            longest[i][j] = old[i] === now[j]
                ? longest[i + 1][j + 1] + 1
                : Math.max(longest[i + 1][j], longest[i][j + 1]);
        }
    }
    const lines = [];
    let i = 0;
    let j = 0;
    while (i < old.length || j < now.length) {
        if (i < old.length && j < now.length && old[i] === now[j]) {
            lines.push({ sign: ' ', text: old[i++] });
            j++;
        } else if (j < now.length && (i === old.length || longest[i][j + 1] > longest[i + 1][j])) {
            lines.push({ sign: '+', text: now[j++] });
        } else {
            lines.push({ sign: '-', text: old[i++] });
        }
    }
    return lines;
}

function difference(before, after) {
    if (before === after) {
        return [];
    }
    return before.length + after.length > MOST_LETTERS ? null : compared(pretty(before), pretty(after));
}

export function Diff({ before, after }) {
    const lines = useMemo(() => difference(before, after), [before, after]);
    if (lines === null) {
        return html`<p class="faint">It is too long to show the difference.</p>`;
    }
    if (lines.every(line => line.sign === ' ')) {
        return html`<p class="faint">Nothing is changed.</p>`;
    }
    return html`
        <pre class="diff" role="group" tabindex="0" aria-label="What is changed">${lines.map((line, at) => html`
            <span key=${at} data-sign=${line.sign}>${line.sign} ${line.text}${'\n'}</span>`)}</pre>`;
}

export function Content({ label, text }) {
    const shown = useMemo(() => pretty(text), [text]);
    return html`<pre class="content" role="group" tabindex="0" aria-label=${label}>${shown}</pre>`;
}
