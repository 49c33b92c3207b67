// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look } from '../ask.js';
import { usePoll } from '../poll.js';
import { Page } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Badge, Facts, Table } from '../parts/table.js';
import { time } from '../parts/time.js';

export function Waiting() {
    const publisher = usePoll(look('node', 'publisher'));
    const outbox = usePoll(look('node', 'outbox'));
    return html`
        <${Page} title="Outbox" question="What waits to be sent, and for what?" polls=${[publisher, outbox]}>
            ${publisher.data && html`<${Publications} of=${publisher.data} />`}
            ${outbox.data && html`<${Outbox} of=${outbox.data} />`}
            <p class="faint">What waits for a time is <a href=${href(['scheduled'])}>scheduled</a>.</p>
        </${Page}>`;
}

function Outbox({ of: { present, level, words, waitsFor = [], backlog, more, oldest, asOf } }) {
    return html`
        <h2>Outbox</h2>
        ${present
            ? html`
                <section class="verdict" data-part="outbox" data-level=${String(level).toLowerCase()} aria-label="Outbox">
                    <${Badge} of=${level} /> <p>${words}</p>
                </section>
                <${Facts} of=${[
                    ['committed and not confirmed yet', backlog === undefined ? 'not counted yet' : `${more ? 'at least ' : ''}${backlog}`],
                    ['oldest', time(oldest)],
                    ['counted', time(asOf)],
                ]} />
                ${waitsFor.length > 0 && html`
                    <h3>What it waits for</h3>
                    <ul>${waitsFor.map(one => html`<li key=${one}>${one}</li>`)}</ul>`}`
            : html`<p class="faint">This node has no outbox: what is published outside handlers is sent at once.</p>`}`;
}

function Publications({ of: { usable, detail, waiting = {} } }) {
    return html`
        <h2>Publications that the broker refuses</h2>
        <${Facts} of=${[
            ['broker', `${usable ? 'can be used' : 'cannot be used'}: ${detail ?? ''}`],
            ['messages', waiting.messages ?? 0],
            ['oldest', time(waiting.oldest)],
        ]} />
        <${Table} caption="Where they should go" rows=${Object.entries(waiting.destinations ?? {})} id=${([key]) => key}
            empty="The broker takes all of them."
            columns=${[
                { name: 'routing key or queue', cell: ([key]) => key },
                { name: 'messages', cell: ([, messages]) => messages },
                { name: 'what to do', cell: () => 'Start the node that consumes it once, so that its queue exists.' },
            ]} />`;
}
