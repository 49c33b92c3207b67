// SPDX-License-Identifier: Apache-2.0
// What to say of the answers that tell what came of a change.

import { html } from '../vendor/htm-preact.js';
import { isExposed, look, place, serverTime } from '../ask.js';
import { asidesIn, isAnswer, isProgress } from './history.js';
import { isHere } from './node.js';
import { href } from './route.js';
import { Badge, inWords } from './table.js';
import { Countdown } from './time.js';

/** The story of an id; null if nobody tells stories here. */
export function storyOf(id) {
    const { path, query } = place('', id, 'about');
    return id && isExposed('story') ? look('story', path, query) : null;
}

export const HANDLED = ['HANDLED', 'UNSENT'];

export const sagasOf = ({ nodes }) => nodes.filter(isHere).flatMap(({ sagas }) => sagas);

export const messagesOf = ({ nodes }) => nodes.flatMap(({ node, messages }) => messages.map(one => ({ ...one, node })));

/** Whether what a story advises does this with a message. */
export const advises = (next, action, { id, node }) => next.some(one => one.node === node && one.curl.includes(`"action":"${action}"`) && one.curl.includes(id));

export const simple = exception => exception.slice(exception.lastIndexOf('.') + 1);

export const cause = ({ exception, text }) => `${simple(exception)}${text ? `: ${text}` : ''}`;

const toSaga = ({ saga, id }) => html`<a href=${href(['sagas', saga, id])}>${saga} ${id}</a>`;

export const stuckOn = ({ type, messageId, exception, text }) =>
    `${type ?? `message ${messageId}`}${exception ? ` (${cause({ exception, text })})` : ''}`;

function undone({ steps = [] }) {
    if (steps.length === 0) {
        return 'there was nothing to undo';
    }
    const left = steps.filter(step => step.status !== 'UNDONE').map(step => `${step.name} (${step.status === 'SKIPPED' ? 'skipped' : 'has no undo'})`);
    return left.length === 0 ? 'everything is undone' : `${steps.some(step => step.undo && step.status !== 'UNDONE') ? '' : 'what has an undo is undone; '}not undone: ${left.join(', ')}`;
}

/** Where a saga is: as a level, and as the end of a sentence about it. */
export function whereabouts(saga) {
    const steps = saga.steps ?? [];
    switch (saga.status) {
        case 'COMPLETED':
            return { level: 'up', words: 'is completed', isOver: true };
        case 'FAILED':
            return { level: 'ended', words: `has ended: failed, ${undone(saga)}`, isOver: true };
        case 'STUCK':
            return { level: 'down', words: `is stuck${saga.stuckOn ? ` on ${stuckOn(saga.stuckOn)}` : ''}` };
        case 'COMPENSATION_FAILED':
            return { level: 'down', words: `has failed to undo its steps${asides(saga)}, and waits for a repair` };
        case 'COMPENSATING':
            return {
                level: 'unknown',
                words: `is being undone: ${steps.filter(step => step.status === 'UNDONE').length} of ${steps.filter(step => step.undo).length} undos are done`,
            };
        default:
            return saga.blockedOn?.length > 0
                ? { level: 'down', words: `is active, and blocked on ${saga.blockedOn.map(one => `${one.type} at ${one.node} (${one.reason})`).join(', ')}` }
                : { level: idle(saga) ? 'down' : 'up', words: `is active${idle(saga) && `, and ${idle(saga)}`}` };
    }
}

/** Where a repair has left it with nothing to wait for that is known; empty if none has. */
export const idle = ({ idleSince }) => (idleSince ? `idle since a repair (${idleSince.what})` : '');

/** The status of a saga. One that has failed and is undone needs nobody, one that waits for what was set aside does. */
export const Status = ({ of: { status, blockedOn, idleSince } }) => html`
    <${Badge} of=${status} level=${status === 'FAILED' ? 'undone' : status} />${status === 'ACTIVE' && blockedOn?.length > 0 && html` <${Badge} of="blocked" />`}
    ${idleSince && html` <${Badge} of="idle" level="blocked" />`}`;

/**
 * What is known of a step: the saga knows that its command was sent, the story also whether it is handled.
 *
 * @param messages of the story
 */
export function stepStatus({ status, undo, messageId }, { blockedOn = [] }, messages) {
    if (status === 'UNDOING') {
        return blockedOn.some(({ type }) => type === undo) ? 'UNDO_FAILED' : status;
    }
    if (status !== 'SENT') {
        return status;
    }
    const states = messages.filter(({ id }) => id === messageId).map(({ state }) => state);
    if (blockedOn.some(one => one.messageId === messageId) || states.includes('SET_ASIDE')) {
        return 'FAILED';
    }
    return states.some(state => HANDLED.includes(state)) ? 'COMPLETED' : status;
}

export const asides = ({ blockedOn = [] }) => (blockedOn.length > 0 ? ` (${blockedOn.map(one => `${one.type} at ${one.node}: ${one.reason}`).join(', ')})` : '');

export const VERDICTS = {
    RUN: 'its handler runs',
    RESEND: 'it was handled already: only what it has published is sent',
    REPEATS: 'its handler runs, even if it was handled already: there is no store to tell',
    DONE: 'nothing, so discard it',
    UNWANTED: 'what its saga does not want any more: discard it',
    UNSURE: 'nobody knows whether its saga still wants it',
    BUSY: 'it is being handled, or its instance died: look again in a minute',
    SUPERSEDED: 'there is a newer copy: look at that one',
    CLASH: 'its record is of another message: it would be set aside again',
    TOO_OLD: 'nobody knows any more whether it was handled',
    REFUSED: 'it cannot be moved',
    UNKNOWN: 'the store does not answer',
};

/** What is best discarded, as nobody needs it: what to look at then. */
export const NEEDLESS = { DONE: 'Only what a replay would do nothing for', UNWANTED: 'Only what its saga does not want any more' };

/** Explains the verdicts that are in the rows, a line for all. */
export function Legend({ of }) {
    const known = [...new Set(of.map(({ verdict }) => verdict))].filter(verdict => Object.hasOwn(VERDICTS, verdict));
    return known.length > 0 && html`
        <p class="hint">What a replay would do: ${known.map(verdict => `${inWords(verdict)}: ${VERDICTS[verdict]}`).join('; ')}.</p>`;
}

const left = ({ matched, moved: count, state, refusals: [first] = [] }) => (first && state !== 'RUNNING'
    ? `Not moved: ${matched - count}, the first is ${first.type} ${first.messageId}. ${first.explanation}`
    : '');

/** Of an operation that moves copies: not success if nothing was moved, or nothing had to be, or not all. */
export function moved(answer) {
    if (answer.dryRun) {
        return { level: 'unknown' };
    }
    if (answer.state === 'RUNNING') {
        return { level: 'unknown', words: answer.moved > 0 ? '' : 'It is under way.' };
    }
    return answer.moved > 0 ? { level: left(answer) ? 'unknown' : 'up', words: left(answer) } : { level: 'down', words: `Nothing was moved. ${answer.refusals?.[0]?.explanation ?? ''}` };
}

/** Of a replay of many: what fails again comes back. */
export function replayedMany(answer) {
    return answer.dryRun || answer.moved === 0
        ? moved(answer)
        : {
            request: look('node', 'now'),
            tell({ counts = {} }, isLate) {
                const waiting = counts.setAside ?? null;
                const sent = `${answer.moved} are sent back to their handlers. ${left(answer)}`;
                if (waiting === null || !isLate) {
                    return { level: 'unknown', words: `${sent} What fails again comes back to the poison queue${waiting === null ? '' : `, which has ${waiting} now`}.` };
                }
                return waiting === 0
                    ? { level: 'up', words: `${sent} None has come back: the poison queue is empty.` }
                    : { level: 'unknown', words: `${sent} The poison queue has ${waiting} now. Look again to see which of them have failed again.` };
            },
        };
}

/** @param copy what was replayed: messageId, and what else is known of it */
export function replayed(copy) {
    const { messageId, correlationId } = copy;
    return answer => {
        if (answer.dryRun || !messageId || (answer.moved === 0 && answer.state !== 'RUNNING')) {
            return moved(answer);
        }
        const begun = Date.parse(answer.begunAt);
        const { path, query } = place('', messageId, 'messageId');
        return {
            request: storyOf(correlationId),
            tell: (story, isLate) => ofMessage(story, copy, begun, isLate),
            last: { request: look('poison', path, { ...query, content: 'false' }), tell: back },
        };
    };
}

/** Without a record, only the poison queue tells something. */
function back(answer, problem) {
    const copy = answer?.copies?.[0];
    if (copy) {
        return { level: 'down', words: `It is in the poison queue again: ${copy.reason}${copy.exception ? ` (${cause({ exception: copy.exception, text: copy.exceptionMessage })})` : ''}.` };
    }
    return problem?.body?.status === 404
        ? { level: 'unknown', words: 'It is not in the poison queue any more. No record tells whether it was handled.' }
        : { level: 'unknown', words: 'It is sent. Nobody knows yet what came of it: look again.' };
}

function ofMessage(story, { messageId, exception }, begun, isLate) {
    const message = messagesOf(story).find(one => isHere(one) && one.id === messageId);
    if (!message) {
        return { level: 'unknown', words: 'It is sent, and not handled yet.', isUnknown: true };
    }
    const last = message.failures.filter(failure => Date.parse(failure.at) >= begun).at(-1);
    const again = last && html`${last.exception === exception ? 'the same exception' : 'this time'}, ${cause(last)}`;
    switch (message.state) {
        case 'HANDLED':
        case 'UNSENT':
            return handled(sagasOf(story), messageId, isLate);
        case 'UNDONE':
            return { level: 'ended', words: 'It is not handled any more: the undo of its step has arrived.', isOver: true };
        case 'EXPIRED':
            return { level: 'ended', words: 'It was dropped, because its deadline had passed.', isOver: true };
        case 'SHREDDED':
            return { level: 'ended', words: 'It was shredded, because its person was erased.', isOver: true };
        case 'SET_ASIDE':
            return last || Date.parse(message.changedAt ?? '') > begun
                ? { level: 'down', words: html`It has failed again${again && html`: ${again}`}. It is in the poison queue again. ${elseOf('Replay', sagasOf(story).some(({ stuckOn: on }) => on?.messageId === messageId) ? 'resume the saga without the message, or fail the saga' : 'edit or discard it')}`, isOver: true }
                : { level: 'unknown', words: `It is sent, and not handled yet.${isLate ? ' Look again.' : ''}` };
        case 'WAITING':
            return last
                ? { level: 'down', words: html`It has failed again: ${again}.${last.nextAt && html` The next attempt: <${Countdown} at=${last.nextAt} />`}` }
                : { level: 'unknown', words: `It is sent, and waits for its handler.${isLate ? ' Look again.' : ''}` };
        default:
            return { level: 'unknown', words: 'It is being handled.' };
    }
}

/** What there is to do when that has failed again. */
const elseOf = (what, otherwise) => `${what} it once more only when the cause is mended. If it cannot be mended: ${otherwise}.`;

export const elseOfRetry = ({ status }) => elseOf('Retry', status === 'COMPENSATION_FAILED' ? 'undo the step by hand, and skip it then' : 'fail the saga');

function handled(sagas, messageId, isLate) {
    const saga = sagas.find(one => one.status === 'STUCK') ?? sagas[0];
    if (!saga) {
        return { level: 'up', words: 'It is handled.', isOver: true };
    }
    const { level, words, isOver } = whereabouts(saga);
    if (saga.stuckOn?.messageId === messageId) { // its record is written first
        return { level: 'unknown', words: html`It is handled, and ${toSaga(saga)} goes on in a moment.` };
    }
    return { level, words: html`It is handled${level === 'down' ? ', but' : ';'} the saga ${toSaga(saga)} ${words}.`, isOver: isOver || isLate };
}

/**
 * @param before the saga as it was
 * @param action in capitals
 */
export function repaired(before, action) {
    const { path, query } = place('sagas', before.id, 'sagaId');
    return ({ repair }, { reason }) => ({
        request: storyOf(before.id) ?? look('node', path, { saga: before.saga, content: 'false', ...query }),
        tell(data, isLate) {
            const sagas = data.sagas ?? sagasOf(data);
            const messages = data.sagas ? [] : messagesOf(data);
            const saga = sagas.find(one => one.saga === before.saga && one.id === before.id);
            return saga
                ? ofRepair({ before, saga, messages, action, repair, reason, isLate })
                : { level: 'unknown', words: 'The saga is not there any more.', isOver: true };
        },
    });
}

function ofRepair({ before, saga, messages, action, repair, reason, isLate }) {
    const events = saga.history ?? [];
    const done = events.findIndex(one => one.repair === repair);
    const refused = `refused ${action} (${reason}): `;
    if (events[done]?.what.startsWith(refused)) {
        return { level: 'down', words: `The saga has refused it: ${events[done].what.slice(refused.length)}.`, isOver: true };
    }
    if (done < 0) {
        return { level: 'unknown', words: `It is sent. The saga has not handled it yet.${isLate ? ' Look again instead of repeating it.' : ''}` };
    }
    const later = events.slice(done + 1);
    const aside = asidesIn(later).at(-1);
    const { level, words, isOver } = whereabouts(saga);
    const itIs = `The saga ${words}.`;
    if (isOver) {
        return { level, words: itIs, isOver };
    }
    if (aside) {
        const { type, messageId, node, reason: why } = aside;
        const again = [...(before.blockedOn ?? []), before.stuckOn, ...asidesIn(events.slice(0, done))].some(one => one?.messageId === messageId);
        return { level: 'down', words: `${again ? 'It has failed again:' : 'It is done, but then'} ${type} was set aside by ${node} (${why}). ${itIs}${again ? ` ${elseOfRetry(saga)}` : ''}`, isOver: true };
    }
    switch (action) {
        case 'RETRY':
            return ofRetry({ before, saga, messages, later, isLate, where: { level, words: itIs } });
        case 'RESUME':
            return ofResume({ before, saga, later, isLate, where: { level, words: itIs } });
        case 'FAIL':
            return { level, words: itIs };
        default: // what was asked for is done; where the saga is may be as bad as before
            return { level: level === 'down' ? 'unknown' : level, words: `${action === 'SKIP' ? 'The step is skipped.' : 'The state is replaced.'} ${itIs}`, isOver: isLate || level !== 'unknown' };
    }
}

function ofRetry({ before, saga, messages, later, isLate, where }) {
    if (later.some(isAnswer)) {
        return { ...where, words: `It is answered. ${where.words}`, isOver: isLate };
    }
    const sent = (before.blockedOn ?? []).filter(one => !(saga.blockedOn ?? []).some(other => other.messageId === one.messageId));
    const by = messages.find(({ id, state }) => HANDLED.includes(state) && sent.some(one => one.messageId === id));
    return by
        ? { level: where.level, words: `${by.type || 'The message'} is handled by ${by.node}. ${where.words}`, isOver: isLate }
        : { level: 'unknown', words: `It is sent again, and not answered yet.${isLate ? ' Look again.' : ''} ${where.words}` };
}

function ofResume({ before, saga, later, isLate, where }) {
    if (saga.status === 'STUCK') {
        return { level: 'down', words: `It went on, and is stuck again. ${where.words}`, isOver: true };
    }
    if (before.status !== 'STUCK') {
        return { level: where.level === 'down' ? 'down' : 'unknown', words: `Its last undo is sent again.${isLate ? ' Look again.' : ''} ${where.words}` };
    }
    const hasGoneOn = later.some(isProgress);
    return {
        level: where.level === 'up' && !hasGoneOn ? 'unknown' : where.level,
        words: `${where.words} It takes messages again${hasGoneOn ? '.' : isLate ? ', and has taken none yet. If none comes, look at what else there is.' : '; looking what comes of it…'}${saga.status === 'ACTIVE' && overdue(saga).length > 0 ? ` Timeouts that are due run now: ${overdue(saga).join(', ')}.` : ''}`,
        isOver: isLate,
    };
}

export function overdue({ timeouts = {} }) {
    return Object.entries(timeouts).filter(([, at]) => Date.parse(at) <= serverTime()).map(([name]) => name);
}
