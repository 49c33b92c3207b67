// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../vendor/htm-preact.js';
import { href } from './route.js';

export function SearchBox() {
    const [typed, setTyped] = useState('');

    function search(event) {
        event.preventDefault();
        const id = typed.trim();
        if (id) {
            location.hash = href(['story', id]);
            setTyped('');
        }
    }

    return html`
        <form role="search" onSubmit=${search}>
            <label class="pair">Find an id <input value=${typed} size="24" maxlength="1024" autocomplete="off" spellcheck="false"
                onInput=${event => setTyped(event.target.value)} /></label>
            <button type="submit">Find</button>
        </form>`;
}
