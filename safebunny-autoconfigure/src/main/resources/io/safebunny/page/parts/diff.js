// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';

const MOST_LINES = 1_000;

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
    let inside = false;
    let out = '';
    for (let i = 0; i < json.length; i++) {
        const letter = json[i];
        if (inside) {
            out += letter;
            if (letter === '\\') {
                out += json[++i];
            } else if (letter === '"') {
                inside = false;
            }
        } else if (letter === '"') {
            inside = true;
            out += letter;
        } else if (letter === '{' || letter === '[') {
            depth++;
            out += `${letter}\n${'  '.repeat(depth)}`;
        } else if (letter === '}' || letter === ']') {
            depth--;
            out += `\n${'  '.repeat(depth)}${letter}`;
        } else if (letter === ',') {
            out += `,\n${'  '.repeat(depth)}`;
        } else if (letter === ':') {
            out += ': ';
        } else if (!/\s/.test(letter)) {
            out += letter;
        }
    }
    return out;
}

/** Lines that are only in one of both, and those in both, in order. */
export function compared(before, after) {
    const old = before.split('\n');
    const now = after.split('\n');
    if (old.length > MOST_LINES || now.length > MOST_LINES) {
        return [...old.map(text => ({ sign: '-', text })), ...now.map(text => ({ sign: '+', text }))];
    }
    const longest = old.map(() => new Uint16Array(now.length + 1));
    longest.push(new Uint16Array(now.length + 1));
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

/** What a change of a text would do to it. */
export function Diff({ before, after }) {
    const lines = compared(pretty(before), pretty(after));
    if (lines.every(line => line.sign === ' ')) {
        return html`<p class="faint">Nothing is changed.</p>`;
    }
    return html`
        <pre class="diff" role="group" tabindex="0" aria-label="What is changed">${lines.map((line, at) => html`
            <span key=${at} data-sign=${line.sign}>${line.sign} ${line.text}${'\n'}</span>`)}</pre>`;
}
