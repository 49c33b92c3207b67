// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.browser;

/** What the browser is asked in the language of pages. */
final class Scripts {

    /** The name of an element as assistive technology has it, roughly: labels before content. */
    private static final String NAME = """
            const clean = text => (text ?? '').replace(/\\s+/g, ' ').trim();
            const name = e => clean(e.getAttribute('aria-label'))
                || clean((e.getAttribute('aria-labelledby') ?? '').split(' ')
                    .map(id => document.getElementById(id)?.innerText ?? '').join(' '))
                || clean([...(e.labels ?? [])].map(label => label.innerText).join(' '))
                || clean(e.innerText ?? e.textContent) || clean(e.title) || clean(e.placeholder);
            """;

    /**
     * What is of one of the kinds, has the name or reads so, and is in the place; {@code null} if nothing is. What is behind an open dialog
     * cannot be used.
     */
    static final String FIND = NAME + """
            const [kinds, wanted, place] = arguments;
            const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
            return [...root.querySelectorAll(kinds)].find(
                e => e.checkVisibility() && e.closest(place) && [name(e), clean(e.innerText)].includes(wanted)) ?? null;
            """;

    /** The name of what has the focus, and whether it is marked; {@code null} if nothing has it. */
    static final String FOCUS = NAME + """
            const e = document.activeElement;
            const style = getComputedStyle(e);
            return e === document.body ? null : [name(e),
                (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none'];
            """;

    /** Has axe-core look at the page. */
    static final String AUDIT = """
            const done = arguments[arguments.length - 1];
            axe.run(document, {resultTypes: ['violations'], preload: false}).then(
                result => done(result.violations.flatMap(rule => rule.nodes.map(
                    node => `${rule.id}, ${rule.impact}: ${node.failureSummary} ${node.target}: ${node.html}`))),
                failure => done([`axe-core failed: ${failure}`]));
            """;

    /** Path, bytes and milliseconds of each answer that the page has got. */
    static final String ANSWERS = """
            return performance.getEntriesByType('resource').map(
                entry => [entry.name.slice(location.origin.length), entry.decodedBodySize, entry.duration]);
            """;

    /**
     * Puts something between the page and the server, for requests of a method whose address contains something: what becomes of them is
     * {@code NEVER}, {@code LOST}, {@code HELD} until {@code letGo} is called, or {@code IN_TURNS}; anything else is the body of the answer.
     */
    static final String INTERFERE = """
            const [method, part, fault] = arguments;
            window.realFetch ??= window.fetch;
            window.realTimeout ??= AbortSignal.timeout.bind(AbortSignal);
            AbortSignal.timeout = fault === 'NEVER' ? millis => realTimeout(Math.min(millis, 200)) : realTimeout;
            let turns = 0;
            window.fetch = async (address, options) => {
                if (options.method !== method || !String(address).includes(part)) {
                    return realFetch(address, options);
                }
                if (fault === 'NEVER') {
                    return new Promise((answer, fail) => options.signal.addEventListener('abort', () => fail(options.signal.reason)));
                }
                if (!['LOST', 'HELD', 'IN_TURNS'].includes(fault)) {
                    return new Response(fault, {status: 200, headers: {'Content-Type': fault.startsWith('{') ? 'application/json' : 'text/plain'}});
                }
                const answer = await realFetch(address, options);
                if (fault === 'LOST') {
                    throw new TypeError('Failed to fetch');
                }
                if (fault === 'HELD') {
                    await new Promise(go => { window.letGo = go; });
                    return answer;
                }
                const body = await answer.json();
                if (turns++ % 2 === 1) {
                    body.instance = 'the-other';
                }
                return new Response(JSON.stringify(body), {status: 200, headers: {'Content-Type': 'application/json'}});
            };
            """;

    /** Takes it away. */
    static final String INTERFERE_NO_MORE = """
            window.fetch = window.realFetch ?? window.fetch;
            AbortSignal.timeout = window.realTimeout ?? AbortSignal.timeout;
            window.letGo?.();
            """;

    private Scripts() {}
}
