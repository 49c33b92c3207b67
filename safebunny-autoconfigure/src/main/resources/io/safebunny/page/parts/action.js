// SPDX-License-Identifier: Apache-2.0
// Buttons. Each shows the curl that it is, and none is there without the right to what it does.

import { html, useEffect, useRef, useState } from '../vendor/htm-preact.js';
import { curl, mayChange, send, session } from '../ask.js';
import { Outcome, Trouble } from './problem.js';

let show = () => {};

/** Requests as commands, to be copied. */
export function Curl({ of }) {
    return html`<pre class="curl" role="group" tabindex="0" aria-label="The same as a command">${of.map(curl).join('\n')}</pre>`;
}

/** A button that looks at something; its curl is beside it. */
export function Look({ label, request, onClick }) {
    return html`
        <div class="look">
            <button type="button" data-action=${label} onClick=${onClick}>${label}</button>
            <details><summary>as curl</summary><${Curl} of=${[request]} /></details>
        </div>`;
}

/**
 * A button that changes something, after a dialog that says what, asks for the rest, and shows the curl. Absent without the right.
 *
 * @param endpoint node or poison
 * @param intro what it does
 * @param fields each with name, label, and what else an input needs
 * @param request makes the request of the values of the fields
 * @param done what to say of the answer
 * @param after called when it is done
 */
export function Act(action) {
    return mayChange(action.endpoint)
        ? html`<button type="button" data-action=${action.label} onClick=${() => show(action)}>${action.label}…</button>`
        : null;
}

/** Says why there are no buttons. */
export function Rights({ endpoint }) {
    const { refusal } = session().endpoints[endpoint];
    return refusal && html`<p class="rights" data-endpoint=${endpoint}>${refusal}</p>`;
}

/** The dialog. It is here, and not beside its button, so that a poll does not close it. */
export function Dialogs() {
    const [action, setAction] = useState(null);
    show = setAction;
    return action && html`<${Dialog} action=${action} close=${() => setAction(null)} />`;
}

const REASON = { name: 'reason', label: 'Reason, for the log and the audit', required: true, maxlength: 400 };

function initial(fields) {
    return Object.fromEntries(fields.map(field => [field.name, field.value ?? '']));
}

function Dialog({ action, close }) {
    const fields = [...(action.fields ?? []), ...(action.reasonless ? [] : [REASON])];
    const dialog = useRef(null);
    const [values, setValues] = useState(() => initial(fields));
    const [state, setState] = useState({ busy: false, answer: null, problem: null });
    const request = action.request(values);

    useEffect(() => {
        dialog.current.showModal();
    }, []);

    async function submit(event) {
        event.preventDefault();
        setState({ busy: true, answer: null, problem: null });
        try {
            const { body } = await send(request);
            setState({ busy: false, answer: body ?? {}, problem: null });
            action.after?.(body);
        } catch (problem) {
            setState({ busy: false, answer: null, problem });
        }
    }

    return html`
        <dialog ref=${dialog} onClose=${close} aria-labelledby="dialog-title">
            <form onSubmit=${submit}>
                <h2 id="dialog-title">${action.title}</h2>
                ${action.intro && html`<p>${action.intro}</p>`}
                ${!state.answer && fields.map(field => html`
                    <${Field} key=${field.name} field=${field} value=${values[field.name]}
                        set=${value => setValues(before => ({ ...before, [field.name]: value }))} />`)}
                ${!state.answer && action.preview?.(values)}
                <${Trouble} problem=${state.problem} />
                ${state.answer && html`<${Outcome}>${action.done?.(state.answer) ?? html`<p>Done.</p>`}</${Outcome}>`}
                <${Curl} of=${[request]} />
                <div class="buttons">
                    ${!state.answer && html`
                        <button type="submit" class="main" data-action="confirm" disabled=${state.busy}>
                            ${state.busy ? 'Wait…' : action.label}
                        </button>`}
                    <button type="button" data-action="close" onClick=${() => dialog.current.close()}>
                        ${state.answer ? 'Close' : 'Cancel'}
                    </button>
                </div>
            </form>
        </dialog>`;
}

function Field({ field, value, set }) {
    const { name, label, options, area, check, hint, value: unused, ...rest } = field;
    const id = `field-${name}`;
    const described = hint ? `${id}-hint` : undefined;
    const said = hint && html`<small id=${described}>${hint}</small>`;
    if (check) {
        return html`
            <p class="field">
                <input type="checkbox" id=${id} name=${name} checked=${value === true} aria-describedby=${described}
                    onChange=${event => set(event.target.checked)} />
                <label for=${id}>${label}</label>${said}
            </p>`;
    }
    const common = { id, name, value, 'aria-describedby': described, onInput: event => set(event.target.value), ...rest };
    return html`
        <p class="field">
            <label for=${id}>${label}</label>
            ${options
                ? html`<select ...${common}>${options.map(([word, text]) => html`<option key=${word} value=${word}>${text}</option>`)}</select>`
                : area
                    ? html`<textarea rows="10" spellcheck=${false} ...${common}></textarea>`
                    : html`<input autocomplete="off" ...${common} />`}
            ${said}
        </p>`;
}
