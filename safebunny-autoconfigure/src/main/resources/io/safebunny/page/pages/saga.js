// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../vendor/htm-preact.js';
import { change, isExposed, look, mayChange, place, serverTime, session } from '../ask.js';
import { useNarrow, usePoll } from '../poll.js';
import { Act, AsTest, Look, Rights } from '../parts/action.js';
import { begun } from '../parts/bulk.js';
import { Content, Diff, pretty } from '../parts/diff.js';
import { CLOCK, drawn, sentAgain } from '../parts/history.js';
import { Aside, isHere, Name } from '../parts/node.js';
import { Page } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Sequence } from '../parts/sequence.js';
import { Badge, ClassName, Facts, IdLink, inWords, Table } from '../parts/table.js';
import { advises, elseOfRetry, HANDLED, messagesOf, moved, overdue, repaired, replayed, sagasOf, Status, stepStatus, storyOf, whereabouts } from '../parts/tales.js';
import { Countdown, time, timeOf } from '../parts/time.js';
import { Words } from '../parts/words.js';

/** It reads the store. */
const EVERY = 5_000;
const ONCE = 0;
/** It asks all nodes. */
const STORY_EVERY = 10_000;
/** Before the older one of two answers is asked again: the saga may go on fast. */
const PAUSE = 500;

const RUNNING = ['ACTIVE', 'STUCK'];
const UNDOING = ['COMPENSATING', 'COMPENSATION_FAILED'];

export function Saga({ saga, id }) {
    const { path, query } = place('sagas', id, 'sagaId');
    const poll = usePoll(look('node', path, { saga, content: 'false', ...query }), EVERY);
    const found = poll.data?.sagas?.[0];
    // of one that is not there, all nodes would be searched again and again
    const told = usePoll(found ? storyOf(id) : null, STORY_EVERY);
    const [changedHere, setChangedHere] = useState(0);
    const ahead = found && told.data ? leadOf(told.data, found) : 0;
    const isOfNow = ahead === 0 && !told.isStale && told.askedAt.current >= changedHere;
    const story = told.data && html`<${Told} key="told" of=${told.data} isOfNow=${isOfNow} />`;
    const messages = (told.data ? messagesOf(told.data) : []).filter(({ state }) => isOfNow || HANDLED.includes(state)); // which they stay
    const next = isOfNow ? told.data?.next ?? [] : [];
    const aside = messages.filter(({ state }) => state === 'SET_ASIDE');
    const takesNone = found?.endedAt || UNDOING.includes(found?.status);
    const isDone = one => isHere(one) && HANDLED.includes(one.state) && one.failures?.some(({ nextAt }) => !nextAt);
    const advised = messages.filter(one => isDone(one) || (takesNone ? advises(next, 'discard', one) : found?.idleSince && isHere(one) && advises(next, 'replay', one)));
    // a record does not tell whether somebody has discarded it since, nor of a second copy
    const queue = usePoll(advised.some(isHere) && isExposed('poison') ? look('poison', '', { correlation: id }) : null, ONCE);
    const isSure = one => isHere(one) && queue.request && !queue.problem && !queue.data?.truncated;
    const left = advised.filter(one => !(isDone(one) && queue.isBusy) && (isSure(one) ? queue.data?.messages?.some(({ messageId }) => messageId === one.id) : !isDone(one)));
    useEffect(() => {
        if (queue.cameAt.current) {
            queue.again();
        }
    }, [advised.filter(isDone).length]);
    useEffect(() => {
        const timer = ahead !== 0 && setTimeout(ahead < 0 ? told.again : poll.again, PAUSE);
        return () => clearTimeout(timer);
    }, [found?.changedAt, ahead]);
    useEffect(() => { // others have told what they knew before its end
        const timer = found?.endedAt && setTimeout(told.again, 4 * PAUSE);
        return () => clearTimeout(timer);
    }, [found?.endedAt]);

    function again() {
        setChangedHere(Date.now());
        poll.again();
        told.again();
    }

    const isNarrow = useNarrow();
    const repairs = found && html`
        <${Repairs} key="repairs" of=${found} messages=${messages} next=${next} untaken=${takesNone ? [] : left.filter(one => !isDone(one))} again=${again} withState=${look('node', path, { saga, ...query })} />`;
    return html`
        <${Page} title=${saga} id=${id} question="Where is it, and what can be done?" polls=${[poll]} also=${isOfNow ? [told] : []}>
            ${found && html`
                ${!isNarrow && story}
                ${left.map(one => html`
                    <p key=${one.id} class="rights">
                        ${takesNone || isDone(one) ? 'Left over' : 'Not taken'}${!isSure(one) && html` at <${Name} of=${one.node} />, unless somebody has discarded it`}: ${one.type || 'a message'}
                        ${' '}<${Aside} ...${one} />${isSure(one) && ' is in the poison queue'}. ${isDone(one) ? 'It was handled, by another copy: discard it.' : found.endedAt ? 'Its saga has ended: discard it.' : takesNone ? 'Its saga has failed, and takes no more of these: discard it.' : 'The saga may wait for it: replay it once the cause is mended.'}
                    </p>`)}
                ${found.stuckOn && html`<${Stuck} key="stuck" of=${found.stuckOn} isGone=${isGone(next, found.stuckOn)} />`}
                ${isNarrow && repairs}
                ${isNarrow && story}
                <${Table} key="aside" caption="Messages that were set aside" rows=${found.blockedOn} id=${row => row.messageId} empty=${aside.length > 0 ? '' : 'No message that it waits for is known to be set aside.'} columns=${[
                    { name: 'type' },
                    { name: 'node', cell: row => html`<${Name} of=${row.node} />` },
                    { name: 'why', cell: row => row.reason },
                    { name: 'message', cell: row => html`<${Aside} id=${row.messageId} node=${row.node} />` },
                ]} />
                ${[...aside, found.stuckOn ?? {}, ...found.blockedOn ?? []].some(isHere) && html`
                    <p><a href=${href(['poison'], { correlation: found.id })}>What this node has set aside with this correlation id</a></p>`}
                ${!isNarrow && repairs}
                <${AsTest} isAllowed=${session().states && session().bodies} needs="management.endpoint.safebunny.show-states and management.endpoint.safebunnypoison.show-bodies" request=${look('node', path, { saga, as: 'test', ...query })} />
                <h2>Where it is</h2>
                <${Facts} of=${[
                    ['status', html`<${Status} of=${found} />`],
                    ['why', found.reason],
                    ['idle since', found.idleSince && html`${time(found.idleSince.at)}: ${found.idleSince.what}`],
                    ['stuck since', found.stuckOn && time(found.stuckOn.since)],
                    ['started', time(found.startedAt)],
                    ['changed', time(found.changedAt)],
                    ['ended', time(found.endedAt)],
                    ['version', found.version],
                ]} />
                <${Table} caption="Timeouts" rows=${timeouts(found)} id=${([name]) => name} empty="It has no timeout." columns=${[
                    { name: 'timeout', cell: ([name]) => name },
                    { name: 'expires', cell: ([name, at]) => html`<${Countdown} at=${at} />${found.stuckOn && overdue(found).includes(name) && ', runs when the saga goes on'}` },
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
                    { name: 'by' },
                ]} />
                ${Date.parse(found.history?.[0]?.at) > Date.parse(found.startedAt) && html`<p class="faint">What came before is not kept.</p>`}
                <${Drawn} of=${found} />`}
        </${Page}>`;
}

const timeouts = ({ timeouts: of }) => Object.entries(of ?? {}).sort(([, one], [, other]) => Date.parse(one) - Date.parse(other));

function Drawn({ of }) {
    const self = `${of.saga} ${of.id}`;
    const events = [
        ...(of.history ?? []).map(event => drawn(event, self)),
        ...timeouts(of).map(([name, at]) => ({
            at, what: Date.parse(at) > serverTime() ? `timeout ${name} expires` : `timeout ${name} is due`, from: CLOCK, node: self, expected: true,
        })),
    ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    return html`
        <details open=${true}>
            <summary>As a diagram</summary>
            <${Sequence} of=${events} />
            <p class="hint">Dashed is what is expected. <a href=${href(['story', of.id])}>Its story</a> tells which nodes the others are.</p>
        </details>`;
}

/** How much later the story has seen the saga change than the saga itself says, in milliseconds; negative if the story is older. */
function leadOf(story, { saga, id, changedAt }) {
    const seen = sagasOf(story).find(one => one.saga === saga && one.id === id);
    const lead = Date.parse(seen ? seen.changedAt : story.asOf) - Date.parse(changedAt) || 0;
    return seen ? lead : Math.min(lead, 0);
}

function Told({ of: { id, sentences }, isOfNow }) {
    return html`
        <section class="verdict" aria-label="In words">
            ${!isOfNow && html`<p class="faint">Asking again what is going on…</p>`}
            ${isOfNow && sentences.map((sentence, at) => html`<p key=${at}><${Words} of=${sentence} id=${id} /></p>`)}
            <p><a href=${href(['story', id])}>The whole story</a>, with what happened in order</p>
        </section>`;
}

/** Whether it was discarded, so that there is nothing to replay. */
const isGone = (next, { id, messageId = id, node }) => advises(next, 'restore', { id: messageId, node });

function Stuck({ of: { messageId, node, type, exception, text }, isGone: gone }) {
    const failure = exception ? html`It failed with <${ClassName} of=${exception} />${text && `: ${text}`}` : 'Nothing is known of how it failed: look at the message';
    return html`
        <section class="verdict" data-level="down" aria-label="Why it is stuck">
            <p>
                It takes no message until somebody ${gone && 'restores and '}replays ${type ?? 'the message'}
                ${' '}<${Aside} id=${messageId} node=${node} />,
                which ${node} has set aside${gone && ' and somebody has discarded'}, or resumes the saga without it. ${failure}.
            </p>
        </section>`;
}

const its = of => () => html`<p><a href=${href(['story', of.id])}>Its story</a></p>`;

/**
 * That nothing is known to come to a saga which goes on.
 *
 * @param without the step that is waited for no more
 */
function Endless({ of: { steps = [], timeouts = {}, blockedOn }, messages, without }) {
    const isOpen = step => step.name !== without && ['SENT', 'FAILED'].includes(stepStatus(step, { blockedOn }, messages));
    return Object.keys(timeouts).length === 0 && !steps.some(isOpen) && html`
        <strong class="endless"> Then nothing is known to come: no step is open, and it has no timeout. An answer may be on its way, or set aside: its story tells. If nothing comes, fail it.</strong>`;
}

/** What each repair means for this one, and when to choose it. */
const retrying = ({ status, blockedOn }) => ({
    effect: `Will be sent again: ${blockedOn.map(({ type, node }) => `${type} at ${node}`).join(', ')}. What is done already is not done again${status === 'STUCK' ? ', and the saga stays stuck' : ''}.`,
    when: 'once the cause is mended; else it is set aside again',
});

function resuming(of, messages, isTried, gone) {
    if (UNDOING.includes(of.status)) {
        return {
            effect: 'Its last undo will be sent again, to a participant that has not acknowledged it. It is not carried out twice.',
            when: `if that undo or its acknowledgement is lost${of.blockedOn?.length > 0 ? '; for what was set aside, choose Retry' : ''}`,
        };
    }
    const { type, messageId, node } = of.stuckOn ?? {};
    const message = type ?? 'the message';
    return {
        effect: html`
            It will take messages again. ${of.stuckOn && `${message} ${messageId} is left out: it stays in the ${gone ? 'archive' : 'poison queue'} of ${node}, and the saga goes on as if it had never come.`}
            ${overdue(of).map(name => html`<strong key=${name}> Timeout ${name} is due: it runs at once when the saga goes on. It may cancel what you want to be finished, and that cannot be taken back.</strong>`)}
            <${Endless} of=${of} messages=${messages} />`,
        when: `only if the saga can do without ${message}; otherwise ${isTried ? 'mend the cause, and then ' : ''}replay it`,
        kind: overdue(of).length > 0 ? 'danger' : undefined,
    };
}

const skipping = isUndoing => (isUndoing
    ? {
        effect: 'You say that this step is undone, or that it need not be: nothing is checked, the saga goes on with the step before it, or ends if there is none, and that cannot be taken back.',
        when: 'if somebody has undone the step by hand',
    }
    : {
        effect: 'You say that this step need not be undone, should the saga fail: nothing is checked, the saga does not go on by it, and that cannot be taken back.',
        when: 'if somebody has taken care of the step, and something else brings the saga on; if nothing does, choose Fail',
    });

function failing({ steps = [] }) {
    const undone = steps.filter(step => step.undo && step.status === 'SENT').map(step => step.name).reverse();
    const left = steps.filter(step => !step.undo).map(step => step.name);
    return {
        effect: 'Ends the saga as failed: its steps are undone in reverse. It cannot be taken back.'
            + (undone.length > 0 ? ` To be undone: ${undone.join(', then ')}.` : ' There is nothing to undo.')
            + (left.length > 0 ? ` Without an undo, and left as they are: ${left.join(', ')}.` : ''),
        when: 'if it is not to be finished',
    };
}

/** Sends a message that is in the poison queue of this node back to the saga, or from the archive to that queue. */
function replaying(correlationId, { id, messageId = id, type, failures, exception = failures?.at(-1)?.exception }, isTried, gone) {
    const { path, query } = place('', messageId, 'messageId');
    const label = gone ? 'Restore' : 'Replay';
    return {
        label,
        endpoint: 'poison',
        kind: isTried ? undefined : 'usual',
        title: `${label} ${type ?? 'the message'} ${messageId}`,
        request: values => change('poison', path, { ...query, action: label.toLowerCase(), ...values }),
        done: begun,
        ...(gone
            ? { outcome: moved, effect: 'Moves the message from the archive back to the poison queue. Nothing is handled yet.', when: 'to replay it then: somebody has discarded it' }
            : {
                outcome: replayed({ messageId, correlationId, exception }),
                effect: 'Sends the message back to the saga, which handles it again and goes on with it.',
                when: 'once the cause is mended; else it is set aside again, and the saga is stuck on it',
            }),
    };
}

/** What its status can take; a saga may still refuse. */
function Repairs({ of, messages, next, untaken, again, withState }) {
    const [seen, setSeen] = useState(null); // with the version that it had then
    const { path, query } = place('sagas', of.id, 'sagaId');
    const repair = action => values => change('node', path, { action, saga: of.saga, ...query, ...values });
    const common = label => ({
        endpoint: 'node', title: `${label} ${of.id}`, request: repair(label.toLowerCase()), done: its(of), outcome: repaired(of, label.toUpperCase()), after: again,
    });
    const open = (of.steps ?? []).filter(step => ['SENT', 'UNDOING'].includes(step.status));
    const isStuck = of.status === 'STUCK';
    const isRunning = RUNNING.includes(of.status);
    const isUndoing = UNDOING.includes(of.status);
    const isOpen = isRunning || isUndoing;
    const resentAt = sentAgain(of);
    const isInVain = verb => next.some(({ why }) => why.startsWith(`was ${verb} by hand`));
    const isTried = isInVain('replayed');
    const isRetried = isInVain('retried');
    const statusOf = step => stepStatus(step, of, messages);
    const choices = [
        ...[of.stuckOn ?? {}, ...untaken].filter(isHere).map(one => replaying(of.id, one, isTried, isGone(next, one))),
        isOpen && of.blockedOn?.length > 0 && { label: 'Retry', kind: isStuck || isRetried ? undefined : 'usual', ...retrying(of) },
        (isStuck || isUndoing) && { label: 'Resume', ...resuming(of, messages, isTried, isGone(next, of.stuckOn ?? {})) },
        isOpen && open.length > 0 && {
            label: 'Skip',
            title: `Skip a step of ${of.id}`,
            fields: [{ name: 'step', label: 'Step', required: true, options: [['', 'choose one'], ...open.map(step => [step.name, `${step.name} (${inWords(statusOf(step))})`])] }],
            preview: ({ step }) => step && !isUndoing && html`
                ${statusOf(open.find(({ name }) => name === step)) === 'FAILED' && html`<p class="rights">Its command was set aside. Discard that: a forced replay by id or verdict does it all the same.</p>`}
                <${Endless} of=${of} messages=${messages} without=${step} />`,
            ...skipping(isUndoing),
        },
        isRunning && { label: 'Fail', kind: 'danger', ...failing(of) },
    ].filter(Boolean);
    return html`
        <h2>Repair it</h2>
        <${Rights} endpoint="node" />
        ${choices.some(one => one.endpoint) && html`<${Rights} endpoint="poison" />`}
        ${!isOpen && html`<p class="faint">It ${whereabouts(of).words}. Nothing is left to resume, retry, skip or fail.</p>`}
        ${resentAt && html`
            <p class="rights" role="status" data-sent="again">
                It was sent again ${time(resentAt)}, and is not answered yet.
            </p>`}
        ${isRetried && html`<p class="rights">${elseOfRetry(of)}</p>`}
        <div class="buttons">
            ${choices.map(({ effect, when, ...rest }, at) => html`
                <${Act} key=${at} ...${common(rest.label)} ...${rest} intro=${html`${effect} Choose it ${when}.`} />`)}
            <${Patch} of=${of} seen=${seen} common=${common('Patch')} />
        </div>
        <ul class="hint">
            ${choices.filter(({ endpoint = 'node' }) => mayChange(endpoint)).map(({ label, kind, when }, at) => html`<li key=${at}><b>${label}</b>${kind === 'usual' && ', the usual repair'}: ${when}</li>`)}
        </ul>
        <${State} of=${of} seen=${seen} setSeen=${setSeen} withState=${withState} />`;
}

/** With the version that the state had when it was looked at: whatever was written since would be lost with any other. */
function Patch({ of, seen, common }) {
    if (!seen?.isWhole || seen.version !== of.version) {
        return null;
    }
    const before = pretty(seen.state);
    return html`
        <${Act} ...${common} label="Patch" title=${`Patch the state of ${of.id}`} request=${values => common.request({ version: String(seen.version), ...values })}
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
