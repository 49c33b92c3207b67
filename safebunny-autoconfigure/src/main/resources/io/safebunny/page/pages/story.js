// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look, mayChange, place, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Curl, Look } from '../parts/action.js';
import { Page } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Badge, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Sequence } from '../parts/sequence.js';

/** It reads the store. */
const EVERY = 5_000;

/** What commands have in place of the address of the endpoints. */
const ACTUATOR = /\$\{ACTUATOR:-[^}]*\}/;

/** A correlation id is found by its key. Whatever else somebody asks for takes a search, and is asked once. */
const tookASearch = story => story.nodes.every(part => part.foundAs !== 'correlation id');

/** What is searched for, before anything is. */
export function Search() {
    return html`
        <${Page} title="Search" question="What happened to this one?">
            <p>Type an id into the box at the top: a correlation id (of a saga: its id), a message id, or the idempotency key with which something was published.</p>
        </${Page}>`;
}

/** What happened to one message or one saga, and why does it not go on? */
export function Story({ id }) {
    const { path, query } = place('', id, 'about');
    const poll = usePoll(look('story', path, query), EVERY, tookASearch);
    const story = poll.data;
    return html`
        <${Page} title="Story" about=${id} question="What happened to this one, and what is it waiting for?" polls=${[poll]}>
            ${story && html`
                <section class="verdict" aria-label="In words">
                    ${story.sentences.map((sentence, at) => html`<p key=${at}><${Words} of=${sentence} /></p>`)}
                </section>
                ${tookASearch(story) && html`
                    <p class="hint">To find what is no correlation id takes a search, so the page does not ask again by itself.</p>
                    <${Look} label="Look again" request=${poll.request} again=${poll.again} />`}
                <${Next} of=${story} />
                <h2>In order</h2>
                <${Table} caption="What happened, and then what is expected" rows=${story.timeline} id=${row => `${row.at} ${row.node} ${row.subject} ${row.what}`}
                    empty="Nothing that has a time is known." columns=${[
                        { name: 'when', cell: row => html`<${Time} at=${row.at} />` },
                        { name: 'node', cell: row => row.node },
                        { name: 'what', cell: row => html`${row.expected && html`<${Badge} of="expected" />${' '}`}<${Words} of=${row.what} />` },
                        { name: 'of', cell: row => row.subject },
                        { name: 'published by', cell: row => row.from },
                    ]} />
                <${Drawn} of=${story} path=${path} query=${query} />
                ${story.nodes.map(part => html`<${Part} key=${`${part.node} ${part.instance}`} of=${part} />`)}`}
        </${Page}>`;
}

/** A sentence, in which names of types are between backticks. */
function Words({ of }) {
    return of.split('`').map((text, at) => (at % 2 === 1 ? html`<code>${text}</code>` : text));
}

function Next({ of: { next, nodes } }) {
    const own = nodes.find(part => part.node === session().node);
    const commands = next.filter(({ node, curl }) => node !== session().node || mayChange('node') || !curl.includes(' -d '));
    return html`
        <h2>What helps</h2>
        ${next.length === 0 && html`<p class="faint">Nothing needs to be done that anybody knows of.</p>`}
        <ul class="next">
            ${own?.sagas.map(({ saga, id }) => html`<li key=${`${saga} ${id}`}><a href=${href(['sagas', saga, id])}>${saga} ${id}</a>, and its repairs</li>`)}
            ${own?.messages.filter(({ state }) => state === 'SET_ASIDE').map(({ id, type }) => html`
                <li key=${id}><a href=${href(['poison', id])}>${type || 'message'} ${id}</a> in the poison queue: look, replay, edit or discard it</li>`)}
            ${own?.pauses.map(({ type }) => html`<li key=${type}><a href=${href(['types', type])}>${type}</a>: why it is paused, and resume it</li>`)}
        </ul>
        ${commands.length > 0 && html`
            <details>
                <summary>${commands.length === 1 ? '1 command' : `${commands.length} commands`}</summary>
                <p class="hint">For a POSIX shell. Add what your application wants of a login${commands.some(one => one.node !== session().node) && ', and set ACTUATOR to where the endpoints of the other node are'}.</p>
                ${commands.map(command => html`<${Command} key=${command.curl} of=${command} />`)}
            </details>`}`;
}

function Command({ of: { why, node, curl } }) {
    const here = look('story').url.replace(/\/[^/]*$/, '');
    return html`
        <p class="hint">${why}, at ${node}:</p>
        <pre class="curl" role="group" tabindex="0" aria-label=${why}>${node === session().node ? curl.replace(ACTUATOR, () => here) : curl}</pre>`;
}

function Drawn({ of: { timeline }, path, query }) {
    return html`
        <details>
            <summary>As a diagram</summary>
            <${Sequence} of=${timeline} />
            <p class="hint">The same for Mermaid:</p>
            <${Curl} of=${[look('story', path, { ...query, format: 'mermaid' })]} />
        </details>`;
}

/** What one node knows. */
function Part({ of }) {
    return html`
        <h2>What ${of.node} knows</h2>
        <p class="faint">As of <${Time} at=${of.asOf} />, instance ${of.instance}.${of.foundAs && ` Found as ${of.foundAs}.`}${of.truncated && ' There is more than a story has room for.'}</p>
        <${Table} caption=${`Messages of which ${of.node} has a record`} rows=${of.messages} id=${row => row.id} empty="It has no record of such a message." columns=${[
            { name: 'message', cell: row => row.id },
            { name: 'type', cell: row => row.type },
            { name: 'state', cell: row => html`<${Badge} of=${row.state} />` },
            { name: 'changed', cell: row => html`<${Time} at=${row.changedAt} />` },
            { name: 'latest failed attempts', cell: row => html`<${Failures} of=${row.failures} />` },
            { name: 'published', cell: row => html`<${Published} of=${row} />` },
        ]} />
        ${of.outbox.length > 0 && html`
            <${Table} caption=${`Waiting in the outbox of ${of.node}`} rows=${of.outbox} id=${row => row.messageId} columns=${[
                { name: 'message', cell: row => row.messageId },
                { name: 'type', cell: row => row.type },
                { name: 'stored', cell: row => html`<${Time} at=${row.storedAt} />` },
                { name: 'due', cell: row => html`<${Time} at=${row.dueAt} />` },
                { name: 'failed', cell: row => String(row.attempts) },
            ]} />`}
        <details>
            <summary>Where it has looked</summary>
            <${Table} caption=${`Where ${of.node} has looked`} rows=${of.looked} id=${row => row.where} empty="Nowhere." columns=${[
                { name: 'place', cell: row => row.where },
                { name: 'found', cell: row => String(row.found) },
                { name: 'what may be missing', cell: row => row.note },
            ]} />
        </details>`;
}

function Failures({ of }) {
    return of.length > 0 && html`
        <ol>${of.map(({ at, exception, text, instance, nextAt }) => html`
            <li key=${at}><${Time} at=${at} /> ${exception}${text && `: ${text}`} <span class="faint">(${instance})</span>${nextAt && html`; next <${Time} at=${nextAt} />`}</li>`)}</ol>`;
}

function Published({ of: { published, omitted } }) {
    return html`
        ${published.length > 0 && html`<ul>${published.map(({ id, type, confirmed, dueAt }) => html`
            <li key=${id}>${type} ${id}${!confirmed && ', not confirmed yet'}${dueAt && html`, due <${Time} at=${dueAt} />`}</li>`)}</ul>`}
        ${omitted > 0 && `and ${omitted} more`}`;
}
