// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.saga.Order;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Checks orders that may have shared transactions: none pays for another. */
final class GroupChecks extends OutboxChecks {

    private static final Set<String> FIRST = Set.of("0");
    private static final Set<String> BOTH_ATTEMPTS = Set.of("0", "1");

    private final Stage stage;
    private final Order order;
    private final Expectation expected;

    GroupChecks(Stage stage, Order order, Expectation expected) {
        super(stage, order, expected);
        this.stage = stage;
        this.order = order;
        this.expected = expected;
    }

    @Override
    void check() {
        super.check();
        for (String part : order.parts()) {
            List<String> attempts = stage.ledger().entries(Kind.HANDLING).stream()
                    .filter(entry -> entry.subject().equals(part))
                    .map(Entry::detail)
                    .toList();
            Set<String> due = order.isPoison(part) ? BOTH_ATTEMPTS : FIRST;
            require(
                    new TreeSet<>(attempts).equals(new TreeSet<>(due)),
                    "attempts of %s: %s instead of %s",
                    part,
                    attempts,
                    due);
            int least = order.isPoison(part) ? 1 + BOTH_ATTEMPTS.size() : 1; // otherwise there was no group
            int most = expected.maxRuns() + (order.isPoison(part) ? BOTH_ATTEMPTS.size() : 0);
            require(
                    attempts.size() >= least && attempts.size() <= most,
                    "%s was run %s times, not %s to %s",
                    part,
                    attempts.size(),
                    least,
                    most);
        }
    }
}
