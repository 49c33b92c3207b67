// SPDX-License-Identifier: Apache-2.0
// Buttons. Each shows the curl that it is, and none is there without the right to what it does.

import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/htm-preact.js';
import { curl, draftOf, dropDraft, keepDraft, mayChange, PATIENCE_OF_ONE, send, session } from '../ask.js';
import { useStale } from '../poll.js';
import { Outcome } from './outcome.js';
import { Boundary, Trouble } from './problem.js';

let show = () => {};
/** Once after the page was loaded: a dialog with what was typed into it opens by itself. */
let restores = true;

export function Curl({ of }) {
    const commands = of.map(curl);
    const file = commands.find(one => one.file)?.file;
    return html`
        <pre class="curl" role="group" tabindex="0" aria-label="The same as a command">${commands.map(one => one.command).join('\n')}</pre>
        <p class="faint hint">For a POSIX shell; cmd.exe and PowerShell quote otherwise. Add what your application wants of a login.</p>
        ${file && html`
            <p class="faint hint">The file change.json:</p>
            <pre class="curl" role="group" tabindex="0" aria-label="The file change.json">${file}</pre>`}`;
}

/**
 * What went wrong, as a test; its answer is source, and no JSON.
 *
 * @param needs the settings that allow this user to see it
 */
export function AsTest({ isAllowed, needs, request }) {
    const [source, setSource] = useState(null);
    return html`
        <details>
            <summary>As a test</summary>
            <p class="hint">
                Java source that fails as it did here until the cause is mended. ${session().masks
                    ? 'The BodyMasker masks what is in it.'
                    : 'Nothing is masked, because there is no BodyMasker: it has content in clear.'} Each look is audited.
            </p>
            ${isAllowed
                ? html`<${Look} label="Show the test" request=${{ ...request, isText: true }} take=${(unused, text) => setSource(text)} />`
                : html`<p class="rights">It is not shown to you. It is if ${needs} allows it.</p>`}
            ${source !== null && html`<${Source} text=${source} />`}
        </details>`;
}

function Source({ text }) {
    const [said, setSaid] = useState('');
    const shown = useRef(null);
    const name = /^class (\w+) \{$/m.exec(text)?.[1] ?? 'IncidentTest';
    const folder = (/^package ([\w.]+);/m.exec(text)?.[1] ?? '').replaceAll('.', '/');

    async function copy() {
        try {
            await navigator.clipboard.writeText(text);
            setSaid('It is copied.');
        } catch { // without TLS, or if the user has forbidden it
            getSelection().selectAllChildren(shown.current);
            setSaid('The browser does not let a page copy here. It is selected: copy it with the keys.');
        }
    }

    function download() {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
        link.download = `${name}.java`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), PATIENCE_OF_ONE);
    }

    return html`
        <p class="hint">Put it into src/test/java/${folder}${folder && '/'}${name}.java, and run it: mvn test -Dtest=${name}</p>
        <div class="buttons">
            <button type="button" onClick=${copy}>Copy</button>
            <button type="button" onClick=${download}>Download ${name}.java</button>
            <span role="status">${said}</span>
        </div>
        <pre class="content" role="group" tabindex="0" aria-label="Source of the test" ref=${shown}>${text}</pre>`;
}

/**
 * A button that looks at something; its curl is beside it.
 *
 * @param again what asks again, for what the page shows anyway
 * @param isBusy whether that is under way
 * @param take told the answer and its text, for what is asked only by this button
 */
export function Look({ label, request, again, isBusy = false, take }) {
    const [state, setState] = useState({ isBusy: false, problem: null });
    const isWaiting = isBusy || state.isBusy;

    async function look() {
        setState({ isBusy: true, problem: null });
        try {
            const { body, text } = await send(request, { patience: PATIENCE_OF_ONE });
            take(body, text);
            setState({ isBusy: false, problem: null });
        } catch (problem) {
            setState({ isBusy: false, problem });
        }
    }

    return html`
        <div class="look">
            <button type="button" data-action=${label} aria-busy=${isWaiting} onClick=${again ?? look}>${isWaiting ? 'Wait…' : label}</button>
            <details><summary>as curl</summary><${Curl} of=${[request]} /></details>
            <${Trouble} problem=${state.problem} />
        </div>`;
}

export const LookAgain = ({ of: { request, again, isBusy } }) => html`<${Look} label="Look again" request=${request} again=${again} isBusy=${isBusy} />`;

/**
 * A button that changes something, after a dialog that says what, asks for the rest, and shows the curl. Absent without the right, and while
 * what is shown is too old to act upon.
 *
 * @param endpoint node or poison
 * @param label what it does, in a word
 * @param title what it does to what: its name for who does not see where it is
 * @param intro what it does, in sentences
 * @param fields each with name, label, and what else an input needs
 * @param request makes the request of the values of the fields
 * @param preview what to show of the values
 * @param kind danger for what cannot be taken back, usual for what mostly helps
 * @param done what to say of the answer to the values
 * @param outcome makes of both what came of it, or what to follow, see {@link Outcome}; absent if an answer is success
 * @param after called when it is done, and again when it is known what came of it
 */
export function Act(action) {
    const isStale = useStale();
    useEffect(() => { // the page was loaded anew, or a login was in the way
        if (restores && mayChange(action.endpoint) && draftOf(action.title)) {
            show({ ...action });
        }
    }, [action.title]);
    return mayChange(action.endpoint) && !isStale
        ? html`
            <button type="button" class=${action.kind} data-action=${action.label} aria-label=${`${action.title}…`} onClick=${() => show({ ...action })}>
                ${action.label}…
            </button>`
        : null;
}

export function Rights({ endpoint }) {
    const { refusal } = session().endpoints[endpoint];
    return refusal && html`<p class="rights" data-endpoint=${endpoint}>${refusal}</p>`;
}

/** The dialog. It is here, and not beside its button, so that a poll does not close it. */
export function Dialogs() {
    const [action, setAction] = useState(null);
    const isBusy = useRef(false);
    const close = () => setAction(null);
    show = wanted => {
        restores = false;
        setAction(wanted);
    };

    useEffect(() => { // what it was for may be gone
        function moved() {
            if (action && !isBusy.current) {
                dropDraft();
                close();
            }
        }
        addEventListener('hashchange', moved);
        return () => removeEventListener('hashchange', moved);
    }, [action]);

    return action && html`
        <${Boundary} key=${action.title} title="This dialog does not work" label="Close" then=${close}>
            <${Dialog} action=${action} close=${close} isBusy=${isBusy} />
        </${Boundary}>`;
}

const REASON = { name: 'reason', label: 'Reason, for the log and the audit', required: true, maxlength: 400 };

function initial(fields) {
    return Object.fromEntries(fields.map(field => [field.name, field.value ?? '']));
}

/** Nothing is said of a field that is left empty. */
const filled = values => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

const IDLE = { isBusy: false, answer: null, outcome: null, problem: null };

function Dialog({ action, close, isBusy }) {
    const fields = [...(action.fields ?? []), ...(action.reasonless ? [] : [REASON])];
    const dialog = useRef(null);
    const last = useRef(null);
    const [user] = useState(() => session().user);
    const [draft] = useState(() => draftOf(action.title));
    const [values, setValues] = useState(() => ({ ...initial(fields), ...draft }));
    const [state, setState] = useState(IDLE);
    const request = action.request(filled(values));
    const isDry = values.dryRun === true;

    useLayoutEffect(() => {
        dialog.current.showModal();
    }, []);

    useLayoutEffect(() => { // the button that had the focus is gone
        if (state.answer) {
            last.current.focus();
        }
    }, [state.answer]);

    async function carryOut(wanted) {
        if (isBusy.current) {
            return;
        }
        isBusy.current = true;
        setValues(wanted);
        setState({ ...IDLE, isBusy: true });
        try {
            const { body } = await send(action.request(filled(wanted)), { user });
            dropDraft();
            setState({ ...IDLE, answer: body, outcome: action.outcome?.(body, wanted) });
            action.after?.(body);
        } catch (problem) {
            if (problem.kind === 'unsure') { // who comes back to it would not know that it may be done
                dropDraft();
            }
            setState({ ...IDLE, problem });
        } finally {
            isBusy.current = false;
        }
    }

    function type(name, value) {
        const typed = { ...values, [name]: value };
        setValues(typed);
        keepDraft(action.title, user, typed);
    }

    function submit(event) {
        event.preventDefault();
        carryOut(values);
    }

    function cancel(event) { // it goes on, and what comes of it has to be seen
        if (isBusy.current) {
            event.preventDefault();
        }
    }

    function closed() { // a browser lets nobody prevent it twice
        if (isBusy.current) {
            dialog.current.showModal();
        } else {
            dropDraft();
            close();
        }
    }

    return html`
        <dialog ref=${dialog} onCancel=${cancel} onClose=${closed} aria-labelledby="dialog-title">
            <form onSubmit=${submit}>
                <h2 id="dialog-title">${action.title}</h2>
                ${action.intro && html`<p>${action.intro}</p>`}
                ${draft && !state.answer && html`<p class="rights">What you had typed is back. Check it against what is there now.</p>`}
                ${!state.answer && fields.map(field => html`
                    <${Field} key=${field.name} field=${field} value=${values[field.name]}
                        set=${value => type(field.name, value)} />`)}
                ${!state.answer && action.preview?.(values)}
                <${Trouble} problem=${state.problem} />
                <div role="status">
                    ${state.answer && html`
                        <${Outcome} key=${state.answer.operation} of=${state.outcome ?? undefined} settled=${() => action.after?.(state.answer)} said=${html`
                            ${action.done ? action.done(state.answer, values) : html`<p>Done.</p>`}
                            ${state.answer.instance && html`<p class="faint">Instance ${state.answer.instance} has answered.</p>`}`} />`}
                    ${state.isBusy && html`<p class="faint">It is under way, also if this page is closed.</p>`}
                </div>
                <details><summary>as curl</summary><${Curl} of=${[request]} /></details>
                <div class="buttons">
                    ${!state.answer && html`
                        <button type="submit" class=${action.kind === 'danger' && !isDry ? 'danger' : 'main'} data-action="confirm" aria-disabled=${state.isBusy}>${confirms(action, state, isDry)}</button>`}
                    ${state.answer && isDry && html`
                        <button type="button" class="main" data-action="confirm" onClick=${() => carryOut({ ...values, dryRun: false })}>
                            ${action.label} now
                        </button>`}
                    <button type="button" data-action="close" ref=${last} disabled=${state.isBusy} onClick=${() => dialog.current.close()}>
                        ${state.answer ? 'Close' : 'Cancel'}
                    </button>
                </div>
            </form>
        </dialog>`;
}

function confirms(action, { isBusy, problem }, isDry) {
    if (isBusy) {
        return 'Wait…';
    }
    if (isDry) {
        return 'Count only';
    }
    return problem?.kind === 'unsure' ? `${action.label} again` : action.label;
}

function Field({ field, value, set }) {
    const { name, label, options, area, check, hint, value: unused, ...rest } = field;
    const id = `field-${name}`;
    const told = [rest.required && 'required', hint].filter(Boolean).join(': ');
    const described = told ? `${id}-hint` : undefined;
    const said = told && html`<small id=${described}>${told}</small>`;
    if (check) {
        return html`
            <p class="field">
                <input type="checkbox" id=${id} name=${name} checked=${value === true} aria-describedby=${described} ...${rest}
                    onChange=${event => set(event.target.checked)} />
                <label for=${id}>${label}</label>${said}
            </p>`;
    }
    const common = { id, name, value, 'aria-describedby': described, onInput: event => set(event.target.value), ...rest };
    return html`
        <p class="field">
            <label for=${id}>${label}</label>
            ${options
                ? html`<select ...${common} onChange=${common.onInput}>${options.map(([word, text]) => html`<option key=${word} value=${word}>${text}</option>`)}</select>`
                : area
                    ? html`<textarea rows="10" spellcheck=${false} ...${common}></textarea>`
                    : html`<input autocomplete="off" ...${common} />`}
            ${said}
        </p>`;
}
