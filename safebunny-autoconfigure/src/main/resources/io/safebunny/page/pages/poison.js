// SPDX-License-Identifier: Apache-2.0
// A list takes the copies out of the queue while it looks, so it is asked for only when somebody wants it.

import { html, useState } from '../vendor/htm-preact.js';
import { change, look, mayChange, place, remove, segment, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, AsTest, Look, LookAgain, Rights } from '../parts/action.js';
import { Content, Diff, pretty } from '../parts/diff.js';
import { Bulk, Note, Selected, begun, isSelectable, verdictsOf } from '../parts/bulk.js';
import { Count, Counted, countsOf, groupOf, isOver, ofGroup } from '../parts/counted.js';
import { Elsewhere, OfAnother, Operations, what } from '../parts/elsewhere.js';
import { Instance } from '../parts/node.js';
import { Page } from '../parts/page.js';
import { href, replace } from '../parts/route.js';
import { Badge, Choice, Choose, ClassName, Facts, Id, IdLink, inWords, Table, TextFilter } from '../parts/table.js';
import { Legend, moved, NEEDLESS, replayed, sagasOf, Status, storyOf, VERDICTS } from '../parts/tales.js';
import { time, timeOf } from '../parts/time.js';
import { Words } from '../parts/words.js';

const ONCE = 0;
/** A story reads the store, and of operations other instances are asked. */
const EVERY = 5_000;
/** More would be more than a megabyte. */
const MOST = 400;
const FILTERS = [['type', 'Type'], ['poisonReason', 'Reason'], ['exception', 'Exception'], ['correlation', 'Correlation id']];

/** An empty value is one, too: of copies that have none. */
const filterOf = query => Object.fromEntries([...FILTERS, ['verdict']].map(([name]) => [name, query[name]]).filter(([, value]) => value !== undefined));

export function Poison({ query }) {
    const archived = query.archived === 'true' ? 'true' : undefined;
    const filter = filterOf(query);
    const limit = query.limit ? String(Math.min(MOST, Number(query.limit) || MOST)) : undefined;
    const list = usePoll(look('poison', '', { ...filter, archived, limit }), ONCE);
    const operations = usePoll(look('node', 'operations'), EVERY);
    const { data, again } = list;
    const { shown: count, brokenOff } = countsOf(operations.data?.operations, archived);
    return html`
        <${Page} title=${archived ? 'Archive' : 'Poison'} about=${Object.entries(filter).map(([name, value]) => (name === 'verdict' ? inWords(value) : value || 'none')).join(', ')}
            question=${archived ? 'What was discarded?' : 'What failed, grouped?'} polls=${[list, operations]}>
            <${Rights} endpoint="poison" />
            <${Filter} filter=${filter} rest=${{ archived, limit }} />
            <div class="buttons">
                <${LookAgain} of=${list} />
                <${Count} archived=${archived} after=${operations.again} />
                <a href=${href(['poison'], { ...filter, archived: archived ? undefined : 'true' })}>${archived ? 'What waits in the poison queue' : 'What was discarded'}</a>
            </div>
            ${count && html`
                <${Counted} key=${count.operation} operation=${count.operation} brokenOff=${brokenOff} filter=${filter} archived=${archived} from=${query.from} after=${operations.again} />`}
            ${data && html`
                <${Bulk} filter=${filter} archived=${archived} again=${again} />
                <h2>As it was read just now</h2>
                <${Extent} of=${data} query=${{ ...filter, archived, limit: MOST }} />
                <${Table} caption="Groups of what was read just now" rows=${data.groups} id=${groupOf} empty="Nothing was set aside." columns=${ofGroup({ ...filter, archived })} />
                <${Messages} key=${JSON.stringify([filter, archived])} of=${data.messages} filter=${filter} archived=${archived} again=${again} />`}
            ${operations.data && html`
                <h2>Operations of this instance</h2>
                <${Operations} caption="Operations, the last one first" of=${operations.data.operations} empty="Nobody has begun one since it started." />
                <${Elsewhere} of=${operations.data.elsewhere} />`}
        </${Page}>`;
}

function Extent({ of: { messages = [], scanned, depth, truncated, limit }, query }) {
    const isCut = truncated || messages.length >= (limit ?? Infinity);
    return isCut
        ? html`
            <p>
                At least ${messages.length} copies match: ${scanned} of ${depth} in the queue were read, and the groups are of these alone.
                ${' '}${messages.length < MOST ? html`<a href=${href(['poison'], query)}>Read up to ${MOST}</a>` : 'Use a filter to see others.'}
            </p>`
        : html`<p>${messages.length} ${messages.length === 1 ? 'copy matches' : 'copies match'}, of ${scanned} that were read, of ${depth} in the queue.</p>`;
}

function Filter({ filter, rest }) {
    const changed = (name, value) => ({ ...filter, ...rest, [name]: value });
    return html`
        <form class="filter" onSubmit=${event => event.preventDefault()}>
            ${FILTERS.map(([name, label]) => (filter[name] === ''
                ? html`<span class="pair" key=${name}>${label}: none <a href=${href(['poison'], changed(name, undefined))}>any ${label.toLowerCase()}</a></span>`
                : html`<${TextFilter} key=${name} id=${name} label=${label} value=${filter[name]} set=${value => replace(['poison'], changed(name, value))} />`))}
            <${Choose} id="verdict" label="A replay" value=${filter.verdict} set=${value => replace(['poison'], changed('verdict', value))}
                of=${[['', 'whatever it would do'], ...Object.entries(VERDICTS).map(([verdict, does]) => [verdict, `${inWords(verdict)}: ${does}`])]} />
        </form>`;
}

const why = row => html`${row.reason}${row.exception && html`, <${ClassName} of=${row.exception} />: ${row.exceptionMessage}`}`;

function Messages({ of = [], filter, archived, again }) {
    const [ticked, setTicked] = useState([]);
    const ids = [...new Set(of.map(row => row.messageId).filter(isSelectable))];
    const selected = ids.filter(id => ticked.includes(id));
    const isOffered = mayChange('poison') && ids.length > 1;
    const tick = { name: 'select', cell: row => isSelectable(row.messageId) && html`
        <input type="checkbox" aria-label=${`Select ${row.messageId}`} checked=${ticked.includes(row.messageId)}
            onChange=${event => setTicked(event.target.checked ? [...ticked, row.messageId] : ticked.filter(id => id !== row.messageId))} />` };
    return html`
        ${isOffered && selected.length < ids.length && html`<p><${Choice} label=${`Select all ${ids.length} below`} choose=${() => setTicked(ids)} /></p>`}
        ${!archived && !filter.verdict && Object.entries(NEEDLESS).filter(([needless]) => of.some(({ verdict }) => verdict === needless)).map(([verdict, label]) => html`
            <p key=${verdict}><a href=${href(['poison'], { ...filter, verdict })}>${label}</a>, to discard all of it at once</p>`)}
        <${Selected} ids=${selected} filter=${filter} drop=${() => setTicked([])} archived=${archived} again=${again} />
        <${Table} caption="Messages" rows=${of.map((one, at) => ({ ...one, at }))} id=${row => `${row.messageId} ${row.copy} ${row.at}`} empty="None." columns=${[
            ...(isOffered ? [tick] : []),
            { name: 'message', cell: ({ messageId }) => (messageId ? html`<${archived ? Id : IdLink} page="poison" of=${messageId} />` : 'without an id') },
            { name: 'type' },
            { name: 'set aside', cell: timeOf('poisonedAt') },
            { name: 'why', cell: why },
            { name: 'correlation id', cell: row => row.correlationId && html`<${IdLink} page="story" of=${row.correlationId} />` },
            { name: 'a replay', cell: row => html`<span title=${row.explanation}><${Badge} of=${row.verdict} /></span>` },
            { name: 'change', cell: row => html`<${One} of=${row} archived=${archived} again=${again} />` },
        ]} />
        <${Legend} of=${of} />`;
}

/** What changes one copy. Some have an id that no path can have, and some have none: then there is only the digest. */
function changeOne(of, values) {
    const { path, query } = of.messageId ? place('', of.messageId, 'messageId') : { path: '', query: {} };
    return change('poison', path, { ...query, copy: of.copy, ...values });
}

function One({ of, archived, again, gone }) {
    if (!of.messageId && !of.copy) { // nothing tells it from others
        return null;
    }
    const name = of.messageId || `copy ${of.copy}`;
    const move = action => values => changeOne(of, { action, ...values });
    const common = { endpoint: 'poison', done: begun, outcome: moved, after: again };
    const isDone = Object.hasOwn(NEEDLESS, of.verdict);
    const discard = html`
        <${Act} ...${common} key="discard" kind=${isDone ? 'usual' : 'danger'} label="Discard" title=${`Discard ${name}`} request=${move('discard')} intro=${`Moves it to the archive, where nobody handles it. It can be restored from there.${isDone ? '' : ' If a saga is stuck on it, it stays so until somebody replays the restored message, resumes it or fails it.'}`} />`;
    return html`
        <span class="buttons">
            ${!archived && html`
                ${isDone && discard}
                <${Act} ...${common} outcome=${replayed(of)} after=${answer => { gone?.(answer); again(); }} label="Replay" title=${`Replay ${name}`} request=${move('replay')} intro=${of.explanation}
                    fields=${[{ name: 'dryRun', label: 'Dry run', check: true }, { name: 'forced', label: 'Even if it is too old to know whether it was handled, or its saga may not want it any more', check: true }]} />
                ${!isDone && discard}`}
            ${archived && html`
                <${Act} ...${common} label="Restore" title=${`Restore ${name}`} request=${move('restore')} intro="Moves it back to the poison queue." />`}
        </span>`;
}

/** Of several copies of one message, a replay moves one. */
const isLeft = ({ verdict }, { kind }) => kind === 'REPLAY' && ['RUN', 'RESEND', 'REPEATS'].includes(verdict);

export function Operation({ id }) {
    const path = `operations/${segment(id)}`;
    const poll = usePoll(look('node', path), undefined, isOver);
    const { data, again } = poll;
    return html`
        <${Page} title="Operation" id=${id} question="How far is it, and what was not moved?" polls=${[poll]}>
            ${data && html`
                <p role="status">${data.dryRun ? 'Would have moved' : 'Moved'} ${data.wouldMove ?? data.moved} of ${data.matched} that were looked at.${' '}
                    <${Badge} of=${data.state} /></p>
                <${Facts} of=${[
                    ['what', what(data)],
                    ['instance', data.elsewhere && html`<${Instance} of=${data.instance} to=${['operations', id]} />`],
                    ['which', !data.elsewhere && (Object.entries(data.filter ?? {}).map(([name, value]) => `${name} ${value === '' ? 'none' : value}`).join(', ') || 'all')],
                    ['by', data.by],
                    ['reason', data.reason],
                    ['begun', time(data.begunAt)],
                    ['ended', time(data.endedAt)],
                    ['read', data.depth > 0 && `${data.scanned} of ${data.depth} in the queue`],
                    ['holds', data.held > 0 && `${data.held}, which nobody else sees until it ends`],
                    ['limit', data.limit && data.matched >= data.limit && `stopped at ${data.limit}: more may match`],
                    ['what a replay would do', !data.elsewhere && verdictsOf(data)],
                    ['never came', data.missed && `${data.missed} copies: somebody else has them`],
                    ['failure', data.failure],
                ]} />
                ${data.elsewhere ? html`<${OfAnother} of=${data} />` : html`<${Own} of=${data} path=${path} again=${again} />`}`}
        </${Page}>`;
}

function Own({ of, path, again }) {
    return html`
        <${Note} of=${of.note} />
        ${!isOver(of) && html`
            <${Act} endpoint="node" label="Stop" title=${`Stop ${of.operation}`} request=${() => remove('node', path)} reasonless=${true}
                intro="It ends before its next message. What was moved stays moved." after=${again} />`}
        <${Table} caption="Not moved, the first hundred" rows=${(of.refusals ?? []).map((one, at) => ({ ...one, at }))} id=${row => `${row.messageId} ${row.at}`}
            empty=${of.dryRun ? 'All that it looked at would be moved.' : 'All that it looked at was moved.'} columns=${[
                { name: 'message', cell: row => (row.messageId ? html`<${IdLink} page="poison" of=${row.messageId} />` : 'without an id') },
                { name: 'type' },
                { name: 'verdict', cell: row => !isLeft(row, of) && html`<${Badge} of=${row.verdict} />` },
                { name: 'why', cell: row => (isLeft(row, of) ? 'Another copy of this message is moved: one is enough.' : row.explanation) },
            ]} />
        <${Legend} of=${of.refusals ?? []} />`;
}

export function Message({ id }) {
    const { path, query } = place('', id, 'messageId');
    const withBody = look('poison', path, query);
    const poll = usePoll(look('poison', path, { ...query, content: 'false' }), ONCE);
    const [bodies, setBodies] = useState([]);
    const [replayedOf, setReplayedOf] = useState(null); // its correlation id
    const { data, again, problem } = poll;
    const archived = problem?.body?.archived === true;
    const isGone = problem?.body?.status === 404 && !archived;
    const gone = correlationId => answer => answer.moved > 0 && !answer.dryRun && setReplayedOf(correlationId ?? '');
    return html`
        <${Page} title="Message" id=${id} question="Why was it set aside, and what would a replay do?" polls=${[poll]} quiet=${archived || isGone ? [problem] : []}>
            ${archived && html`
                <p class="rights" role="status">
                    It was discarded, and is in the archive, from where it can be restored:
                    ${' '}<a href=${href(['poison'], { correlation: problem.body.correlationId, archived: 'true' })}>the archive</a>
                </p>`}
            ${isGone && html`<${Gone} key=${poll.cameAt.current} id=${id} replayedOf=${replayedOf} />`}
            <p><a href=${href(['story', id])}>Its story</a>: what happened to it, and what waits for it</p>
            <${Rights} endpoint="poison" />
            <div class="buttons">
                <${LookAgain} of=${poll} />
                ${session().bodies && !isGone && html`<${Look} label="Show the body" request=${withBody} take=${answer => setBodies(answer.copies ?? [])} />`}
            </div>
            ${!isGone && html`<${AsTest} isAllowed=${session().bodies} needs="management.endpoint.safebunnypoison.show-bodies" request=${look('poison', path, { ...query, as: 'test' })} />`}
            ${!session().bodies && html`
                <p class="faint">
                    The body is not shown to you, so you cannot edit it here. It is if management.endpoint.safebunnypoison.show-bodies allows it.
                </p>`}
            ${(data?.copies ?? []).map((copy, at) => html`
                <${Copy} key=${`${copy.copy} ${at}`} of=${copy} content=${bodies.find(one => one.copy === copy.copy)} again=${again} gone=${gone(copy.correlationId)} />`)}
        </${Page}>`;
}

/** What is not in the queue is no fault: mostly somebody has replayed it. */
function Gone({ id, replayedOf }) {
    const { data } = usePoll(storyOf(replayedOf || id), replayedOf ? EVERY : ONCE); // to find a message takes a search
    const sagas = (data ? sagasOf(data) : []);
    return html`
        <section class="verdict" aria-label="Where it is">
            <p role="status">${replayedOf !== null
                ? 'It was replayed and is not in the poison queue any more.'
                : 'It is not in the poison queue: it was replayed, or was never set aside here.'}</p>
            ${data?.sentences.map((sentence, at) => html`<p key=${at}><${Words} of=${sentence} /></p>`)}
            ${sagas.map(one => html`<p key=${`${one.saga} ${one.id}`}><a href=${href(['sagas', one.saga, one.id])}>${one.saga} <${Id} of=${one.id} /></a> <${Status} of=${one} /></p>`)}
        </section>`;
}

function Copy({ of, content, again, gone }) {
    return html`
        <section class="copy" aria-label=${`Copy ${of.copy}`}>
            <h2>Copy ${of.copy}</h2>
            <${Facts} of=${[
                ['type', of.type],
                ['set aside', time(of.poisonedAt)],
                ['reason', of.reason],
                ['exception', of.exception && html`<${ClassName} of=${of.exception} />`],
                ['text', of.exceptionMessage],
                ['queue', of.queue],
                ['correlation id', of.correlationId && html`<${IdLink} page="story" of=${of.correlationId} />`],
                ['bytes', of.bodyBytes],
                ['what a replay would do', html`<${Badge} of=${of.verdict} /> ${of.explanation}`],
            ]} />
            ${Object.hasOwn(NEEDLESS, of.verdict) && html`<p class="rights">Left over: ${of.explanation}</p>`}
            <span class="buttons"><${One} of=${of} again=${again} gone=${gone} />${isWhole(content) && html`<${Edit} of=${of} body=${content.body} again=${again} />`}</span>
            ${of.record && html`<${Stored} of=${of.record} />`}
            ${content && html`
                <h3>Body</h3>
                ${!isWhole(content) && html`<p class="rights">${whyNotEdited(content)}</p>`}
                <${Content} label="Body" text=${content.body ?? ''} />
                <h3>Headers</h3>
                <${Facts} of=${Object.entries(content.headers ?? {}).map(([name, value]) => [name, asText(value)])} />`}
        </section>`;
}

/** Whether what is shown is what is stored: what stands for the rest would be written in its place. */
const isWhole = content => content?.shown === true && content.masked === false;

const whyNotEdited = ({ shown }) => (shown
    ? 'Some of it is masked, or is no text, and would be overwritten by what is shown here. Edit it where all of it can be seen.'
    : 'It is not shown, so it cannot be edited here.');

const asText = value => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function Edit({ of, body, again }) {
    const before = pretty(body);
    return of.copy && html`
        <${Act} endpoint="poison" label="Edit" title=${`Edit ${of.messageId}`} done=${begun} outcome=${moved} after=${again}
            intro="Puts a copy with another body in the place of this one. Nothing is handled yet: replay it then."
            fields=${[{ name: 'body', label: 'New body', area: true, required: true, value: before }]}
            preview=${values => html`<${Diff} before=${before} after=${values.body} />`}
            request=${values => changeOne(of, { action: 'edit', ...values })} />`;
}

function Stored({ of }) {
    return html`
        <h3>What is stored of it</h3>
        <${Facts} of=${[
            ['state', of.state],
            ['delayed retries, without those at once', of.attempt],
            ['version', of.version],
            ['written last by', of.owner],
            ['steps that are done', (of.steps ?? []).join(', ')],
            ['publications', of.publications],
        ]} />
        ${of.failures && html`
            <${Table} caption="Failures, as they were" rows=${of.failures.map((one, number) => ({ ...one, number }))} id=${row => row.number} empty="None are known." columns=${[
                { name: 'when', cell: timeOf('at') },
                { name: 'instance' },
                { name: 'took', cell: row => `${row.millis} ms` },
                { name: 'exception', cell: row => html`<${ClassName} of=${row.exception} />` },
                { name: 'text' },
                { name: 'next', cell: timeOf('nextAt') },
            ]} />`}`;
}
