// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The effects of all instances, in the order in which they came. */
interface Effects {

    List<Effect> all();

    /** Number of messages that have one. */
    int messages();

    /** Process of the last one; empty if there is none. */
    String latest();

    /** What the handlers tell the ledger when they begin: more than once if an instance dies or is frozen before it has stored the end. */
    static Effects in(Ledger ledger) {
        return new Effects() {
            @Override
            public List<Effect> all() {
                return ledger.entries(Kind.HANDLING).stream()
                        .map(entry ->
                                new Effect(entry.process(), entry.subject(), Integer.parseInt(entry.detail()), null))
                        .toList();
            }

            @Override
            public int messages() {
                Set<Entry> distinct = new HashSet<>();
                ledger.entries(Kind.HANDLING)
                        .forEach(entry -> distinct.add(new Entry(Kind.HANDLING, "", entry.subject(), entry.detail())));
                return distinct.size();
            }

            @Override
            public String latest() {
                List<Entry> entries = ledger.entries(Kind.HANDLING);
                return entries.isEmpty() ? "" : entries.get(entries.size() - 1).process();
            }
        };
    }
}
