// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look, mayChange, place } from '../ask.js';
import { usePoll } from '../poll.js';
import { Curl, LookAgain } from '../parts/action.js';
import { Aside, isHere, Name, nameOf, names } from '../parts/node.js';
import { Page } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Badge, Id, Table } from '../parts/table.js';
import { advises, messagesOf } from '../parts/tales.js';
import { time, timeOf } from '../parts/time.js';
import { Sequence } from '../parts/sequence.js';
import { Words } from '../parts/words.js';

/** All nodes are asked each time, and read their stores. */
const EVERY = 10_000;

/** What commands have in place of the address of the endpoints. */
const ACTUATOR = /\$\{ACTUATOR:-[^}]*\}/;

/** A correlation id is found by its key. Whatever else somebody asks for takes a search, and is asked once. */
const tookASearch = story => story.nodes.every(part => !part.correlationIds.includes(story.id));

const lacks = ({ where, note }) => note && where !== 'poison queue';

const isEmpty = part => ['sagas', 'messages', 'pauses', 'outbox', 'scheduled', 'troubles'].every(list => part[list].length === 0);

export function Search() {
    return html`
        <${Page} title="Search" question="What happened to this one?">
            <p>Type an id into the box at the top: a correlation id (of a saga: its id), a message id, or the idempotency key with which something was published.</p>
        </${Page}>`;
}

export function Story({ id }) {
    const { path, query } = place('', id, 'about');
    const poll = usePoll(look('story', path, query), EVERY, tookASearch);
    const story = poll.data;
    return html`
        <${Page} title="Story:" id=${id} question="What happened to this one, and what is it waiting for?" polls=${[poll]}>
            ${story && html`
                <section class="verdict" aria-label="In words">
                    ${story.sentences.map((sentence, at) => html`<p key=${at}><${Words} of=${sentence} id=${id} /></p>`)}
                </section>
                <${Asked} of=${story} />
                ${tookASearch(story) && html`
                    <p class="hint">To find what is no correlation id takes a search, so the page does not ask again by itself.</p>
                    <${LookAgain} of=${poll} />`}
                <${Next} of=${story} />
                <h2>In order</h2>
                <${Table} caption="What happened, and then what is expected" rows=${story.timeline} id=${row => `${row.at} ${row.node} ${row.subject} ${row.what}`}
                    empty="Nothing that has a time is known." columns=${[
                        { name: 'when', cell: timeOf('at') },
                        { name: 'node' },
                        { name: 'what', cell: row => html`${row.expected && html`<${Badge} of="expected" />${' '}`}<${Words} of=${row.what} id=${id} />` },
                        { name: 'of', cell: row => row.subject && html`<${Words} of=${row.subject} id=${id} />` },
                        { name: 'published by', cell: row => row.from },
                    ]} />
                <${Drawn} of=${story} path=${path} query=${query} />
                ${story.nodes.map((part, at) => (at === 0 || !isEmpty(part)) && html`<${Part} key=${`${part.node} ${part.instance}`} of=${part} />`)}
                <${Ignorant} of=${story.nodes.filter((part, at) => at > 0 && isEmpty(part))} />`}
        </${Page}>`;
}

function Asked({ of: { asked, problem, nodes } }) {
    if (!asked) { // an older instance behind the same address
        return html`<section class="verdict" data-level="degraded" aria-label="Who has told it"><p>This instance has a version that asks no other node.</p></section>`;
    }
    const silent = asked.filter(one => !one.answered);
    const all = [...new Set(asked.map(({ node }) => node))];
    const missing = all.filter(node => !asked.some(one => one.node === node && one.answered));
    const partly = [...new Set(nodes.filter(part => part.truncated || part.looked.some(lacks)).map(({ node }) => node))];
    const isWhole = silent.length === 0 && partly.length === 0 && !problem && !asked.some(({ note }) => note);
    return html`
        <section class="verdict" data-level=${isWhole ? 'up' : 'degraded'} aria-label="Who has told it">
            ${problem && html`<p>Other nodes could not be asked, or not be heard: ${problem}.</p>`}
            ${missing.length > 0 && html`<p>Missing is what these nodes know: ${names(missing)}.</p>`}
            ${missing.length === 0 && silent.length > 0 && html`<p>Silent: ${names(silent.map(nameOf))}.</p>`}
            ${partly.length > 0 && html`<p>Not all is told of ${names(partly)}: see where it has looked.</p>`}
            ${isWhole && html`<p>All nodes that are known have told what they know: ${names(all)}.</p>`}
            <details>
                <summary>Who was asked</summary>
                <${Table} caption="Who was asked" rows=${asked} id=${row => `${row.node} ${row.instance}`} columns=${[
                    { name: 'node', cell: row => html`<${Name} of=${row.node} />` },
                    { name: 'instance', cell: row => row.instance || 'none is known' },
                    { name: 'state', cell: row => html`<${Badge} of=${row.answered ? 'answers' : 'silent'} />` },
                    { name: 'version', cell: row => row.version || 'unknown' },
                    { name: 'heard', cell: timeOf('lastHeard') },
                    { name: 'note' },
                ]} />
            </details>
        </section>`;
}

/** Those that know nothing of it, with what they could not look at. */
function Ignorant({ of }) {
    return of.length > 0 && html`
        <h2>Who has no record of it</h2>
        <ul>${of.map(({ node, instance, looked }) => html`
            <li key=${`${node} ${instance}`}><${Name} of=${node} />${looked.filter(lacks).map(({ where, note }) => ` (${where}: ${note})`).join('')}</li>`)}</ul>`;
}

function Next({ of }) {
    const { next, nodes } = of;
    const isLeft = one => advises(next, 'discard', one);
    const own = nodes.find(isHere);
    const commands = next.filter(one => !isHere(one) || mayChange('node') || !one.curl.includes(' -d '));
    return html`
        <h2>What helps</h2>
        ${next.length === 0 && html`<p class="faint">Nothing needs to be done that anybody knows of.</p>`}
        <ul class="next">
            ${own?.sagas.map(({ saga, id }) => html`<li key=${`${saga} ${id}`}><a href=${href(['sagas', saga, id])}>${saga} <${Id} of=${id} /></a>, and its repairs</li>`)}
            ${messagesOf(of).filter(one => isLeft(one) || (one.state === 'SET_ASIDE' && isHere(one))).map(one => html`
                <li key=${one.node + one.id}>${one.type || 'message'} <${Aside} ...${one} />, set aside by ${one.node}${isLeft(one) ? ', and left over: discard it if nobody has' : ': look, replay, edit or discard it'}</li>`)}
            ${own?.pauses.map(({ type }) => html`<li key=${type}><a href=${href(['types', type])}>${type}</a>: why it is paused, and resume it</li>`)}
        </ul>
        ${commands.length > 0 && html`
            <details>
                <summary>${commands.length === 1 ? '1 command' : `${commands.length} commands`}</summary>
                <p class="hint">For a POSIX shell. Add what your application wants of a login${!commands.every(isHere) && ', and set the variable in a command for another node to where the endpoints of that node are'}.</p>
                ${commands.map(command => html`<${Command} key=${command.curl} of=${command} />`)}
            </details>`}`;
}

function Command({ of }) {
    const { why, node, curl } = of;
    const here = look('story').url.replace(/\/[^/]*$/, '');
    return html`
        <p class="hint">${why}, at ${node}:</p>
        <pre class="curl" role="group" tabindex="0" aria-label=${why}>${isHere(of) ? curl.replace(ACTUATOR, () => here) : curl}</pre>`;
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

function Part({ of }) {
    return html`
        <h2>What <${Name} of=${of.node} /> knows</h2>
        <p class="faint">As of ${time(of.asOf)}, instance ${of.instance}.${of.foundAs && ` Found as ${of.foundAs}.`}${of.truncated && ' There is more than a story has room for.'}</p>
        <${Table} caption=${`Messages of which ${of.node} has a record`} rows=${of.messages} id=${row => row.id} empty="It has no record of such a message." columns=${[
            { name: 'message', cell: row => html`<${Id} of=${row.id} />` },
            { name: 'type' },
            { name: 'state', cell: row => html`<${Badge} of=${row.state} />` },
            { name: 'changed', cell: timeOf('changedAt') },
            { name: 'latest failed attempts', cell: row => html`<${Failures} of=${row.failures} />` },
            { name: 'published', cell: row => html`<${Published} of=${row} />` },
        ]} />
        ${of.outbox.length > 0 && html`
            <${Table} caption=${`Waiting in the outbox of ${of.node}`} rows=${of.outbox} id=${row => row.messageId} columns=${[
                { name: 'message', cell: row => html`<${Id} of=${row.messageId} />` },
                { name: 'type' },
                { name: 'stored', cell: timeOf('storedAt') },
                { name: 'due', cell: timeOf('dueAt') },
                { name: 'failed', cell: row => row.attempts },
            ]} />`}
        <details>
            <summary>Where it has looked</summary>
            <${Table} caption=${`Where ${of.node} has looked`} rows=${of.looked} id=${row => row.where} empty="Nowhere." columns=${[
                { name: 'place', cell: row => row.where },
                { name: 'found', cell: row => row.found },
                { name: 'what may be missing', cell: row => row.note },
            ]} />
        </details>`;
}

function Failures({ of }) {
    return of.length > 0 && html`
        <ol>${of.map(({ at, exception, text, instance, nextAt }) => html`
            <li key=${at}>${time(at)} ${exception}${text && `: ${text}`} <span class="faint">(${instance})</span>${nextAt && html`; next ${time(nextAt)}`}</li>`)}</ol>`;
}

function Published({ of: { published, omitted } }) {
    return html`
        ${published.length > 0 && html`<ul>${published.map(({ id, type, confirmed, dueAt }) => html`
            <li key=${id}>${type} <${Id} of=${id} />${!confirmed && ', not confirmed yet'}${dueAt && html`, due ${time(dueAt)}`}</li>`)}</ul>`}
        ${omitted > 0 && `and ${omitted} more`}`;
}
