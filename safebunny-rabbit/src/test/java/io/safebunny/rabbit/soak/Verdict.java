// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a run is judged by, as a pure function; a run in which little happened says nothing and fails too. */
final class Verdict {

    private static final int ORDERS_PER_SECOND = 10;
    private static final int SECONDS_PER_FAULT = 6;

    private final List<String> failures = new ArrayList<>();

    private Verdict() {}

    /**
     * @param seconds of traffic and faults
     * @param faults that did what they should
     * @param queues how many messages each has in the end
     * @return why the run has failed; empty when it passed
     */
    static List<String> failures(Ledger ledger, long seconds, int faults, Map<String, Integer> queues) {
        Verdict verdict = new Verdict();
        verdict.none(ledger.missing(ledger.deduplicating).size(), "lost with deduplication");
        verdict.none(ledger.missing(ledger.forgetful).size(), "lost without deduplication");
        verdict.none(ledger.deduplicating.handledTwice(), "handled twice with deduplication");
        verdict.none(Queues.poisoned(queues), "set aside: " + queues);
        verdict.none(Queues.left(queues), "left in queues: " + queues);
        verdict.enough(ledger.confirmedOrders(), seconds * ORDERS_PER_SECOND, "orders were confirmed");
        verdict.enough(faults, Math.max(1, seconds / SECONDS_PER_FAULT), "faults struck");
        return List.copyOf(verdict.failures);
    }

    private void none(int count, String what) {
        if (count > 0) {
            failures.add(count + " " + what);
        }
    }

    private void enough(int count, long needed, String what) {
        if (count < needed) {
            failures.add("only %d %s, needs %d".formatted(count, what, needed));
        }
    }
}
