// SPDX-License-Identifier: Apache-2.0
// A list takes the copies out of the queue while it looks, so it is asked for only when somebody wants it.

import { html, useState } from '../vendor/htm-preact.js';
import { change, look, remove, segment, send, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, Look, Rights } from '../parts/action.js';
import { Diff, pretty } from '../parts/diff.js';
import { Page } from '../parts/page.js';
import { Trouble } from '../parts/problem.js';
import { href, replace } from '../parts/route.js';
import { Badge, Facts, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const ONCE = 0;
const FILTERS = [['type', 'Type'], ['poisonReason', 'Reason'], ['exception', 'Exception'], ['correlation', 'Correlation id']];

const filterOf = query => Object.fromEntries(FILTERS.map(([name]) => [name, query[name]]).filter(([, value]) => value));

const counts = verdicts => Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict.toLowerCase().replaceAll('_', ' ')}`).join(', ') || 'none';

const begun = answer => html`
    <p>${answer.dryRun ? 'Nothing was moved. It would have moved' : 'Moved'} ${answer.moved} of ${answer.matched} that matched. Verdicts: ${counts(answer.verdicts)}.</p>
    <p>${answer.state === 'RUNNING' ? 'It goes on by itself. ' : ''}<a href=${href(['operations', answer.operation])}>Its progress, and what was not moved</a></p>`;

/** What failed, grouped? */
export function Poison({ query }) {
    const archived = query.archived === 'true' ? 'true' : undefined;
    const filter = filterOf(query);
    const request = look('poison', '', { ...filter, archived, limit: query.limit });
    const operationsRequest = look('node', 'operations');
    const { data, problem, again } = usePoll(request, ONCE);
    const { data: operations } = usePoll(operationsRequest);
    return html`
        <${Page} title=${archived ? 'Archive' : 'Poison'} question=${archived ? 'What was discarded?' : 'What failed, grouped?'}
            requests=${[request, operationsRequest]} problem=${problem} loading=${!data}>
            <${Rights} endpoint="poison" />
            <${Filter} query=${query} filter=${filter} archived=${archived} />
            <p>
                <${Look} label="Look again" request=${request} onClick=${again} />
                <a href=${href(['poison'], { ...filter, archived: archived ? undefined : 'true' })}>${archived ? 'What waits in the poison queue' : 'What was discarded'}</a>
            </p>
            ${data && html`
                <p>${data.messages.length} copies match, of ${data.scanned} that were read, of ${data.depth} in the queue.</p>
                <${Bulk} filter=${filter} archived=${archived} again=${again} />
                <${Groups} of=${data.groups} archived=${archived} />
                <${Messages} of=${data.messages} archived=${archived} again=${again} />`}
            ${operations && html`<${Operations} of=${operations.operations} />`}
        </${Page}>`;
}

function Filter({ query, filter, archived }) {
    const set = (name, value) => replace(['poison'], { ...filter, archived, limit: query.limit, [name]: value });
    return html`
        <form class="filter" onSubmit=${event => event.preventDefault()}>
            ${FILTERS.map(([name, label]) => html`
                <span class="pair" key=${`${name}-${query[name] ?? ''}`}>
                    <label for=${name}>${label}</label>
                    <input id=${name} defaultValue=${query[name] ?? ''} autocomplete="off" onChange=${event => set(name, event.target.value)} />
                </span>`)}
        </form>`;
}

function Bulk({ filter, archived, again }) {
    const isFiltered = Object.keys(filter).length > 0;
    const which = isFiltered ? 'all that match the filter' : 'all in the queue';
    const body = { ...filter, all: isFiltered ? undefined : true };
    const fields = [
        { name: 'limit', label: 'At most', type: 'number', min: 1, max: 100000, value: '10', required: true, hint: 'ten first, then the rest' },
        { name: 'rate', label: 'Most in a second', type: 'number', min: 0, step: 'any', hint: 'empty: as fast as the broker confirms' },
    ];
    const dry = { name: 'dryRun', label: 'Dry run: only count what would be moved', check: true };
    const forced = { name: 'forced', label: 'Also what is too old to know whether it was handled', check: true };
    const move = action => values => change('poison', '', { action, ...body, ...values });
    const common = { endpoint: 'poison', done: begun, after: again };
    return html`
        <div class="buttons">
            ${!archived && html`
                <${Act} ...${common} label="Replay" title=${`Replay ${which}`} fields=${[{ ...dry, value: true }, ...fields, forced]} request=${move('replay')}
                    intro="Sends them back to the queues of their handlers. What was done already is not done again." />
                <${Act} ...${common} label="Discard" title=${`Discard ${which}`} fields=${[{ ...dry, value: true }, ...fields]} request=${move('discard')}
                    intro="Moves them to the archive, from where they can be restored." />`}
            ${archived && html`
                <${Act} ...${common} label="Restore" title=${`Restore ${which}`} fields=${[{ ...dry, value: true }, ...fields]} request=${move('restore')}
                    intro="Moves them from the archive back to the poison queue." />`}
        </div>`;
}

function Groups({ of, archived }) {
    return html`
        <${Table} caption="Groups" rows=${of} id=${row => `${row.type} ${row.reason} ${row.exception}`} empty="Nothing was set aside." columns=${[
            { name: 'type', cell: row => row.type },
            { name: 'reason', cell: row => row.reason },
            { name: 'exception', cell: row => row.exception || '–' },
            { name: 'copies', cell: row => html`
                <a href=${href(['poison'], { type: row.type, poisonReason: row.reason, exception: row.exception, archived })}>${row.copies}</a>` },
        ]} />`;
}

function Messages({ of, archived, again }) {
    return html`
        <${Table} caption="Messages" rows=${of.map((one, at) => ({ ...one, at }))} id=${row => `${row.messageId} ${row.copy} ${row.at}`} empty="None." columns=${[
            { name: 'message', cell: row => (archived ? row.messageId : html`<a href=${href(['poison', row.messageId])}>${row.messageId || 'without an id'}</a>`) },
            { name: 'type', cell: row => row.type },
            { name: 'set aside', cell: row => html`<${Time} at=${row.poisonedAt} />` },
            { name: 'why', cell: row => `${row.reason}${row.exception ? `, ${row.exception}: ${row.exceptionMessage}` : ''}` },
            { name: 'correlation id', cell: row => row.correlationId },
            { name: 'a replay', cell: row => html`<span title=${row.explanation}><${Badge} of=${row.verdict} /></span>` },
            { name: 'change', cell: row => html`<${One} of=${row} archived=${archived} again=${again} />` },
        ]} />`;
}

/** What can be done with one message. */
function One({ of, archived, again }) {
    if (!of.messageId) {
        return null;
    }
    const move = action => values => change('poison', segment(of.messageId), { action, copy: of.copy, ...values });
    const common = { endpoint: 'poison', done: begun, after: again };
    return html`
        <span class="buttons">
            ${!archived && html`
                <${Act} ...${common} label="Replay" title=${`Replay ${of.messageId}`} request=${move('replay')} intro=${of.explanation}
                    fields=${[{ name: 'dryRun', label: 'Dry run', check: true }, { name: 'forced', label: 'Even if it is too old to know whether it was handled', check: true }]} />
                <${Act} ...${common} label="Discard" title=${`Discard ${of.messageId}`} request=${move('discard')} intro="Moves it to the archive." />`}
            ${archived && html`
                <${Act} ...${common} label="Restore" title=${`Restore ${of.messageId}`} request=${move('restore')} intro="Moves it back to the poison queue." />`}
        </span>`;
}

function Operations({ of }) {
    return html`
        <h2>Operations of this instance</h2>
        <${Table} caption="Operations, the last one first" rows=${of} id=${row => row.operation} empty="Nobody has begun one since it started." columns=${[
            { name: 'operation', cell: row => html`<a href=${href(['operations', row.operation])}>${row.operation}</a>` },
            { name: 'what', cell: row => `${row.kind.toLowerCase()}${row.dryRun ? ', dry run' : ''}` },
            { name: 'state', cell: row => html`<${Badge} of=${row.state} />` },
            { name: 'moved', cell: row => `${row.moved} of ${row.matched}` },
            { name: 'by', cell: row => row.by },
            { name: 'reason', cell: row => row.reason },
            { name: 'begun', cell: row => html`<${Time} at=${row.begunAt} />` },
        ]} />`;
}

/** How far is it? */
export function Operation({ id }) {
    const request = look('node', `operations/${segment(id)}`);
    const { data, problem, again } = usePoll(request);
    return html`
        <${Page} title=${`Operation ${id}`} question="How far is it, and what was not moved?" requests=${[request]} problem=${problem} loading=${!data}>
            ${data && html`
                <p role="status">${data.dryRun ? 'Would have moved' : 'Moved'} ${data.moved} of ${data.matched} that were looked at.
                    <${Badge} of=${data.state} /></p>
                <${Facts} of=${[
                    ['what', `${data.kind.toLowerCase()}${data.dryRun ? ', dry run' : ''}`],
                    ['by', data.by],
                    ['reason', data.reason],
                    ['begun', html`<${Time} at=${data.begunAt} />`],
                    ['verdicts', counts(data.verdicts)],
                    ['never came', data.missed && `${data.missed} copies: somebody else has them`],
                    ['failure', data.failure],
                ]} />
                ${data.state === 'RUNNING' && html`
                    <${Act} endpoint="node" label="Stop" title=${`Stop ${id}`} request=${() => remove('node', `operations/${segment(id)}`)} reasonless=${true}
                        intro="It ends before its next message. What was moved stays moved." after=${again} />`}
                <${Table} caption="Not moved, the first hundred" rows=${data.refusals.map((one, at) => ({ ...one, at }))} id=${row => `${row.messageId} ${row.at}`}
                    empty="All that it looked at was moved." columns=${[
                        { name: 'message', cell: row => html`<a href=${href(['poison', row.messageId])}>${row.messageId}</a>` },
                        { name: 'type', cell: row => row.type },
                        { name: 'verdict', cell: row => html`<${Badge} of=${row.verdict} />` },
                        { name: 'why', cell: row => row.explanation },
                    ]} />`}
        </${Page}>`;
}

/** One message that was set aside. */
export function Message({ id }) {
    const request = look('poison', segment(id), { content: 'false' });
    const withBody = look('poison', segment(id));
    const { data, problem, again } = usePoll(request, ONCE);
    const [bodies, setBodies] = useState({ copies: null, problem: null });

    async function showBodies() {
        try {
            const { body } = await send(withBody);
            setBodies({ copies: body.copies, problem: null });
        } catch (failure) {
            setBodies({ copies: null, problem: failure });
        }
    }

    const bodyOf = copy => bodies.copies?.find(one => one.copy === copy);
    return html`
        <${Page} title=${`Message ${id}`} question="Why was it set aside, and what would a replay do?" requests=${[request]} problem=${problem} loading=${!data}>
            <${Rights} endpoint="poison" />
            <div class="buttons">
                <${Look} label="Look again" request=${request} onClick=${again} />
                ${session().bodies && html`<${Look} label="Show the body" request=${withBody} onClick=${showBodies} />`}
            </div>
            ${!session().bodies && html`<p class="faint">The body is not shown to you. It is if management.endpoint.safebunnypoison.show-bodies allows it.</p>`}
            <${Trouble} problem=${bodies.problem} />
            ${data?.copies.map((copy, at) => html`<${Copy} key=${`${copy.copy} ${at}`} of=${copy} content=${bodyOf(copy.copy)} again=${again} />`)}
        </${Page}>`;
}

function Copy({ of, content, again }) {
    return html`
        <section class="copy" aria-label=${`Copy ${of.copy}`}>
            <h2>Copy ${of.copy}</h2>
            <${Facts} of=${[
                ['type', of.type],
                ['set aside', html`<${Time} at=${of.poisonedAt} />`],
                ['reason', of.reason],
                ['exception', of.exception],
                ['text', of.exceptionMessage],
                ['queue', of.queue],
                ['correlation id', of.correlationId],
                ['bytes', String(of.bodyBytes)],
                ['a replay', html`<${Badge} of=${of.verdict} /> ${of.explanation}`],
            ]} />
            <span class="buttons"><${One} of=${of} again=${again} /><${Edit} of=${of} content=${content} again=${again} /></span>
            ${of.record && html`<${Stored} of=${of.record} />`}
            ${content && html`
                <h3>Body</h3>
                <pre class="content" role="group" tabindex="0" aria-label="Body">${pretty(content.body)}</pre>
                <h3>Headers</h3>
                <${Facts} of=${Object.entries(content.headers).map(([name, value]) => [name, String(value)])} />`}
        </section>`;
}

function Edit({ of, content, again }) {
    return content && html`
        <${Act} endpoint="poison" label="Edit" title=${`Edit ${of.messageId}`} done=${begun} after=${again}
            intro="Puts a copy with another body in the place of this one. Nothing is handled yet: replay it then. Do not edit what is masked."
            fields=${[{ name: 'body', label: 'New body', area: true, required: true, value: content.body }]}
            preview=${values => html`<${Diff} before=${content.body} after=${values.body} />`}
            request=${values => change('poison', segment(of.messageId), { action: 'edit', copy: of.copy, ...values })} />`;
}

function Stored({ of }) {
    return html`
        <h3>What is stored of it</h3>
        <${Facts} of=${[
            ['state', of.state],
            ['delayed retries so far', String(of.attempt)],
            ['version', String(of.version)],
            ['written last by', of.owner],
            ['steps that are done', of.steps.join(', ')],
            ['publications', String(of.publications)],
        ]} />
        ${of.failures && html`
            <${Table} caption="Failures, as they were" rows=${of.failures} id=${row => `${row.at} ${row.instance}`} empty="None are known." columns=${[
                { name: 'when', cell: row => html`<${Time} at=${row.at} />` },
                { name: 'instance', cell: row => row.instance },
                { name: 'took', cell: row => `${row.millis} ms` },
                { name: 'exception', cell: row => row.exception },
                { name: 'text', cell: row => row.text },
                { name: 'next', cell: row => html`<${Time} at=${row.nextAt} />` },
            ]} />`}`;
}
