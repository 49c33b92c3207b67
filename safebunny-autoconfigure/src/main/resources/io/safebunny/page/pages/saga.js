// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../vendor/htm-preact.js';
import { change, look, mayChange, place, serverTime, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, AsTest, Look, Rights } from '../parts/action.js';
import { Content, Diff, pretty } from '../parts/diff.js';
import { Page, useNarrow } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Sequence } from '../parts/sequence.js';
import { Badge, Facts, IdLink, inWords, Table } from '../parts/table.js';
import { overdue, repaired, replayed, Status, stepStatus, storyOf, whereabouts } from '../parts/tales.js';
import { Countdown, Time, timeOf } from '../parts/time.js';
import { Words } from '../parts/words.js';

/** It reads the store. */
const EVERY = 5_000;
/** It asks all nodes. */
const STORY_EVERY = 10_000;

const RUNNING = ['ACTIVE', 'STUCK'];
const UNDOING = ['COMPENSATING', 'COMPENSATION_FAILED'];

/** One saga, and its repairs. */
export function Saga({ saga, id }) {
    const { path, query } = place('sagas', id, 'sagaId');
    const poll = usePoll(look('node', path, { saga, content: 'false', ...query }), EVERY);
    const found = poll.data?.sagas?.[0];
    // of one that is not there, all nodes would be searched again and again
    const { data: story } = usePoll(found ? storyOf(id) : null, STORY_EVERY);
    const messages = story?.nodes.flatMap(part => part.messages) ?? [];
    const isNarrow = useNarrow();
    const repairs = found && html`
        <${Repairs} key="repairs" of=${found} messages=${messages} again=${poll.again} withState=${look('node', path, { saga, ...query })} />`;
    return html`
        <${Page} title=${saga} id=${id} question="Where is it, and what can be done?" polls=${[poll]}>
            ${found && html`
                ${!isNarrow && story && html`<${Told} key="told" of=${story} />`}
                ${found.stuckOn && html`<${Stuck} key="stuck" of=${found.stuckOn} />`}
                ${isNarrow && repairs}
                ${isNarrow && story && html`<${Told} key="told" of=${story} />`}
                <${Table} key="aside" caption="Messages that were set aside" rows=${found.blockedOn} id=${row => row.messageId} empty=${found.stuckOn ? 'No message that it has sent was set aside.' : 'No message that it waits for is known to be set aside.'} columns=${[
                    { name: 'type' },
                    { name: 'node' },
                    { name: 'why', cell: row => row.reason },
                    { name: 'message', cell: row => html`<${Aside} id=${row.messageId} node=${row.node} />` },
                ]} />
                <p><a href=${href(['poison'], { correlation: found.id })}>What this node has set aside with this correlation id</a></p>
                ${!isNarrow && repairs}
                <${AsTest} isAllowed=${session().states && session().bodies} needs="management.endpoint.safebunny.show-states and management.endpoint.safebunnypoison.show-bodies" request=${look('node', path, { saga, as: 'test', ...query })} />
                <h2>Where it is</h2>
                <${Facts} of=${[
                    ['status', html`<${Status} of=${found} />`],
                    ['why', found.reason],
                    ['idle since', found.idleSince && html`<${Time} at=${found.idleSince.at} />: ${found.idleSince.what}`],
                    ['stuck since', found.stuckOn && html`<${Time} at=${found.stuckOn.since} />`],
                    ['started', html`<${Time} at=${found.startedAt} />`],
                    ['changed', html`<${Time} at=${found.changedAt} />`],
                    ['ended', found.endedAt && html`<${Time} at=${found.endedAt} />`],
                    ['correlation id', html`<${IdLink} page="story" of=${found.id} />`],
                    ['version', String(found.version)],
                ]} />
                <${Table} caption="Timeouts" rows=${timeouts(found)} id=${([name]) => name} empty="It has no timeout." columns=${[
                    { name: 'timeout', cell: ([name]) => name },
                    { name: 'expires', cell: ([, at]) => html`<${Countdown} at=${at} />` },
                ]} />
                <h2>What it did</h2>
                <${Table} caption="Steps" rows=${found.steps} id=${row => row.name} empty="It has sent no step." columns=${[
                    { name: 'step', cell: row => row.name },
                    { name: 'command', cell: row => row.type },
                    { name: 'status', cell: row => html`<${Badge} of=${stepStatus(row, found, messages)} />` },
                    { name: 'undo', cell: row => row.undo ?? 'none' },
                    { name: 'message', cell: row => html`<${IdLink} page="story" of=${row.messageId} />` },
                ]} />
                <${Table} caption="History" rows=${found.history} id=${row => `${row.at} ${row.what}`} empty="Nothing yet." columns=${[
                    { name: 'when', cell: timeOf('at') },
                    { name: 'what', cell: row => html`<${Words} of=${row.what} id=${found.id} />` },
                ]} />
                ${Date.parse(found.history?.[0]?.at) > Date.parse(found.startedAt) && html`<p class="faint">What came before is not kept.</p>`}
                <${Drawn} of=${found} />`}
        </${Page}>`;
}

/** The next one first. */
const timeouts = ({ timeouts: of }) => Object.entries(of ?? {}).sort(([, one], [, other]) => Date.parse(one) - Date.parse(other));

/** The history names messages and steps; the node of a participant only if that has set something aside. */
const OTHERS = 'others';
const CLOCK = 'timeouts';
const OPERATORS = 'operators';

/** What begins an entry of the history, and where it came from, or went. The first one that fits. */
const MOVES = [
    [/^took /, { from: OTHERS }],
    [/^undone: /, { from: OTHERS }],
    [/^(?:undoing )?step /, { to: OTHERS }],
    [/^timeout .* is over$/, { from: CLOCK }],
    [/^(?:cancelled )?timeout /, { to: CLOCK }],
    [/^(?:refused )?(?:RETRY|SKIP|FAIL|RESUME|PATCH)\b/, { from: OPERATORS }],
];

const SET_ASIDE = /^(?!failed: )\S+ \S+ was set aside by (\S+): /;

function drawn({ at, what }, self) {
    const node = SET_ASIDE.exec(what)?.[1];
    const { from, to } = MOVES.find(([begin]) => begin.test(what))?.[1] ?? { from: node };
    return to ? { at, what, from: self, node: to } : { at, what, from, node: self };
}

/** The history as a sequence, and the timeouts that are expected. */
function Drawn({ of }) {
    const self = `${of.saga} ${of.id}`;
    const events = [
        ...(of.history ?? []).map(event => drawn(event, self)),
        ...timeouts(of).map(([name, at]) => ({
            at, what: Date.parse(at) > serverTime() ? `timeout ${name} expires` : `timeout ${name} was due, and is not over yet`, from: CLOCK, node: self, expected: true,
        })),
    ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    return html`
        <details open=${true}>
            <summary>As a diagram</summary>
            <${Sequence} of=${events} />
            <p class="hint">Dashed is what is expected. <a href=${href(['story', of.id])}>Its story</a> tells which nodes the others are.</p>
        </details>`;
}

/** What its story says, asked less often than where it is. */
function Told({ of: { id, sentences } }) {
    return html`
        <section class="verdict" aria-label="In words">
            ${sentences.map((sentence, at) => html`<p key=${at}><${Words} of=${sentence} id=${id} /></p>`)}
            <p><a href=${href(['story', id])}>The whole story</a>, with what happened in order</p>
        </section>`;
}

/** What was set aside by this node is in its poison queue; of the rest there is the story. */
const Aside = ({ id, node }) => html`<${IdLink} page=${node === session().node ? 'poison' : 'story'} of=${id} />`;

/** Why it is stuck, and who is waited for. */
function Stuck({ of: { messageId, node, type, exception, text } }) {
    const failure = exception ? `It failed with ${exception}${text ? `: ${text}` : ''}` : 'Nothing is known of how it failed: look at the message';
    return html`
        <section class="verdict" data-level="down" aria-label="Why it is stuck">
            <p>
                It takes no message until somebody replays ${type ?? 'the message'}
                ${' '}<${Aside} id=${messageId} node=${node} />,
                which ${node} has set aside, or resumes the saga without it. ${failure}.
            </p>
        </section>`;
}

const status = saga => inWords(saga.status);

const its = of => () => html`<p><a href=${href(['story', of.id])}>Its story</a></p>`;

const SENT_AGAIN = /^(?:RETRY|RESUME): /;
const ANSWERED = /^(?:took|undone:|failed:|stuck:|completed) ?| was set aside/;

/** When something was sent again that nobody has answered since; undefined if nothing is on its way. */
function sentAgain({ history = [], steps = [], blockedOn = [] }) {
    const from = history.findLastIndex(({ what }) => SENT_AGAIN.test(what));
    const waits = steps.some(step => (history[from]?.what.startsWith('RETRY') ? ['SENT', 'UNDOING'] : ['UNDOING']).includes(step.status));
    return from >= 0 && waits && blockedOn.length === 0 && !history.slice(from + 1).some(({ what }) => ANSWERED.test(what)) ? history[from].at : undefined;
}

const names = messages => messages.map(({ type, node }) => `${type} at ${node}`).join(', ');

/**
 * That nothing is known to come to a saga which goes on.
 *
 * @param without the step that is waited for no more
 */
function Endless({ of: { steps = [], timeouts = {}, blockedOn }, messages, without }) {
    const isOpen = step => step.name !== without && ['SENT', 'FAILED'].includes(stepStatus(step, { blockedOn }, messages));
    return Object.keys(timeouts).length === 0 && !steps.some(isOpen) && html`
        <strong class="endless"> Then nothing is known to come: no step is open, and it has no timeout. An answer may be on its way, or set aside: its story tells. If nothing comes, it stays as it is for ever: then fail it.</strong>`;
}

/** What resuming means for this one. */
function Resuming({ of, messages }) {
    if (UNDOING.includes(of.status)) {
        return 'Its last undo will be sent again, to a participant that has not acknowledged it. Do it when the cause is mended.';
    }
    const due = overdue(of);
    const { type, messageId, node } = of.stuckOn ?? {};
    return html`
        It will take messages again. ${of.stuckOn && `${type ?? 'The message'} ${messageId} is left out: it stays in the poison queue of ${node}, and the saga goes on as if it had never come. To go on with it, replay it instead.`}
        ${due.map(name => html`<strong key=${name}> Timeout ${name} is due: it runs at once when the saga goes on.</strong>`)}
        <${Endless} of=${of} messages=${messages} />`;
}

/** What failing means for this one. */
function failing({ steps = [] }) {
    const undone = steps.filter(step => step.undo && step.status === 'SENT').map(step => step.name).reverse();
    const left = steps.filter(step => !step.undo).map(step => step.name);
    return 'Ends the saga as failed: its steps are undone in reverse. It cannot be taken back.'
        + (undone.length > 0 ? ` To be undone: ${undone.join(', then ')}.` : ' There is nothing to undo.')
        + (left.length > 0 ? ` Without an undo, and left as they are: ${left.join(', ')}.` : '');
}

/** The usual repair of a stuck saga whose message is in the poison queue of this node. */
function ReplayIt({ of: { id, stuckOn: { messageId, type, exception } }, again }) {
    const { path, query } = place('', messageId, 'messageId');
    return mayChange('poison') && html`
        <${Act} endpoint="poison" kind="usual" label="Replay" title=${`Replay ${type ?? 'the message'} ${messageId}`} after=${again}
            request=${values => change('poison', path, { ...query, action: 'replay', ...values })}
            done=${its({ id })} outcome=${replayed({ messageId, correlationId: id, exception })}
            intro="Sends the message back to the saga, which handles it again and goes on with it. If the cause is not mended, it will be set aside again, and the saga stays stuck." />
        <span class="hint">the usual repair, once the cause is mended</span>`;
}

/** What its status can take; a saga may still refuse. */
function Repairs({ of, messages, again, withState }) {
    const [seen, setSeen] = useState(null); // with the version that it had then
    const { path, query } = place('sagas', of.id, 'sagaId');
    const repair = action => values => change('node', path, { action, saga: of.saga, ...query, ...values });
    const common = action => ({ endpoint: 'node', done: its(of), outcome: repaired(of, action), after: again });
    const open = (of.steps ?? []).filter(step => ['SENT', 'UNDOING'].includes(step.status));
    const isRunning = RUNNING.includes(of.status);
    const isUndoing = UNDOING.includes(of.status);
    const resentAt = sentAgain(of);
    return html`
        <h2>Repair it</h2>
        <${Rights} endpoint="node" />
        ${of.stuckOn?.node === session().node && html`<${Rights} endpoint="poison" />`}
        ${!isRunning && !isUndoing && html`<p class="faint">It ${whereabouts(of).words}: nothing is left to resume, retry, skip or fail.</p>`}
        ${resentAt && html`
            <p class="rights" role="status" data-sent="again">
                It was sent again <${Time} at=${resentAt} />, and is not answered yet. Another retry is there if it is set aside again.
            </p>`}
        <div class="buttons">
            ${of.stuckOn?.node === session().node && html`<${ReplayIt} of=${of} again=${again} />`}
            ${(isRunning || isUndoing) && of.blockedOn?.length > 0 && html`
                <${Act} ...${common('RETRY')} kind=${of.status === 'STUCK' ? undefined : 'usual'} label="Retry" title=${`Retry ${of.id}`} request=${repair('retry')}
                    intro=${`Will be sent again: ${names(of.blockedOn)}. Whoever has set it aside handles it again, and what is done already is not done again. If the cause is not mended, it will be set aside again.`} />`}
            ${(of.status === 'STUCK' || isUndoing) && html`
                <${Act} ...${common('RESUME')} label="Resume" title=${`Resume ${of.id}`} request=${repair('resume')}
                    intro=${html`<${Resuming} of=${of} messages=${messages} />`} />`}
            ${(isRunning || isUndoing) && open.length > 0 && html`
                <${Act} ...${common('SKIP')} label="Skip" title=${`Skip a step of ${of.id}`} request=${repair('skip')}
                    fields=${[{ name: 'step', label: 'Step', required: true, options: [['', 'choose one'], ...open.map(step => [step.name, `${step.name} (${inWords(stepStatus(step, of, messages))})`])] }]}
                    preview=${({ step }) => step && !isUndoing && html`<p class="rights"><${Endless} of=${of} messages=${messages} without=${step} /></p>`}
                    intro=${isUndoing
                        ? 'You say that somebody has undone this step, or that it need not be undone. Nothing is checked: the saga goes on with the step before it. It cannot be taken back.'
                        : 'You say that this step need not be undone, should the saga fail, because somebody has taken care of it. Nothing is checked, and it cannot be taken back. The saga goes on waiting for the answer to the step, which does not come from a command that was set aside: unless something else brings it on, fail the saga instead. Discard that command: replayed, it would be done all the same.'} />`}
            ${isRunning && html`
                <${Act} ...${common('FAIL')} kind="danger" label="Fail" title=${`Fail ${of.id}`} request=${repair('fail')}
                    intro=${failing(of)} />`}
            <${Patch} of=${of} seen=${seen} common=${common('PATCH')} repair=${repair('patch')} />
        </div>
        <${State} of=${of} seen=${seen} setSeen=${setSeen} withState=${withState} />`;
}

/** With the version that the state had when it was looked at: whatever was written since would be lost with any other. */
function Patch({ of, seen, common, repair }) {
    if (!seen?.isWhole || seen.version !== of.version) {
        return null;
    }
    const before = pretty(seen.state);
    return html`
        <${Act} ...${common} label="Patch" title=${`Patch the state of ${of.id}`} request=${values => repair({ version: String(seen.version), ...values })}
            fields=${[{ name: 'state', label: 'New state, as JSON', required: true, area: true, value: before }]}
            preview=${values => html`<${Diff} before=${before} after=${values.state} />`}
            intro=${`Replaces the state of version ${seen.version}, which you have seen, unless the saga has changed since.`} />`;
}

function State({ of, seen, setSeen, withState }) {
    function take({ sagas }) {
        const { state, version, shown, masked } = sagas[0];
        setSeen({ state: state ?? '', version, isShown: shown === true, isWhole: shown === true && masked === false });
    }

    return session().states
        ? html`
            <${Look} label="Show the state" request=${withState} take=${take} />
            ${seen && html`
                <h2>State of version ${seen.version}</h2>
                <${Patchable} of=${of} seen=${seen} />
                <${Content} label="State" text=${seen.state} />`}`
        : html`
            <p class="faint">
                The state is not shown to you, so you cannot patch it here. It is if management.endpoint.safebunny.show-states allows it.
            </p>`;
}

/** Why there is no button to patch it. */
function Patchable({ of, seen }) {
    if (!seen.isShown) {
        return html`<p class="rights">It is not shown, so it cannot be patched here.</p>`;
    }
    if (!seen.isWhole) {
        return html`<p class="rights">Some of it is masked, and would be overwritten by its mask. Patch it where all of it can be seen.</p>`;
    }
    return seen.version !== of.version && html`
        <p class="rights">The saga has changed since: it has version ${of.version} by now. Show the state again before you patch it.</p>`;
}
