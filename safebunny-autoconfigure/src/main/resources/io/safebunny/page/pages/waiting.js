// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look } from '../ask.js';
import { usePoll } from '../poll.js';
import { Page } from '../parts/page.js';
import { Facts, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

/** What waits to be sent, and for what? */
export function Waiting() {
    const outboxRequest = look('node', 'outbox');
    const publisherRequest = look('node', 'publisher');
    const { data: outbox, problem } = usePoll(outboxRequest);
    const { data: publisher, problem: other } = usePoll(publisherRequest);
    return html`
        <${Page} title="Waiting" question="What waits to be sent, and for what?" requests=${[outboxRequest, publisherRequest]}
            problem=${problem ?? other} loading=${!outbox || !publisher}>
            ${publisher && html`
                <h2>Publications that the broker refuses</h2>
                <${Facts} of=${[
                    ['broker', `${publisher.usable ? 'can be used' : 'cannot be used'}: ${publisher.detail}`],
                    ['messages', String(publisher.waiting.messages)],
                    ['oldest', publisher.waiting.oldest && html`<${Time} at=${publisher.waiting.oldest} />`],
                ]} />
                <${Table} caption="Where they should go" rows=${Object.entries(publisher.waiting.destinations)} id=${([key]) => key}
                    empty="The broker takes all of them."
                    columns=${[
                        { name: 'routing key or queue', cell: ([key]) => key },
                        { name: 'messages', cell: ([, messages]) => messages },
                        { name: 'what to do', cell: () => 'Start the node that consumes it once, so that its queue exists.' },
                    ]} />`}
            ${outbox && html`
                <h2>Outbox</h2>
                ${outbox.present
                    ? html`<${Facts} of=${[['committed and not confirmed yet', String(outbox.backlog ?? 'not counted yet')]]} />`
                    : html`<p class="faint">This node has no outbox: what is published outside handlers is sent at once.</p>`}`}
        </${Page}>`;
}
