// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The soak must notice what it is there to notice. */
class VerdictTest {

    private static final int ORDERS = 700;
    private static final int SECONDS = 60;
    private static final int FAULTS = 20;

    private final Ledger ledger = new Ledger();

    @Test
    void passesWhenEverythingWasHandled() {
        handle(ledger.deduplicating, -1);
        handle(ledger.forgetful, -1);

        assertThat(failures(Map.of("soak-once-Order", 0, "soak-once-poison", 0)))
                .isEmpty();
    }

    @Test
    void findsAnOrderThatOneNodeDidNotHandle() {
        handle(ledger.deduplicating, 8);
        handle(ledger.forgetful, -1);

        assertThat(failures(Map.of())).containsExactly("1 lost with deduplication");
        assertThat(ledger.missing(ledger.deduplicating)).containsExactly("order-8");
        assertThat(ledger.explain("order-8", ledger.deduplicating))
                .contains("order confirmed", "handled here: false", "by the other node: true");
    }

    @Test
    void findsAReceiptThatWasNotHandled() {
        handle(ledger.deduplicating, -1);
        handle(ledger.forgetful, -1);
        ledger.confirmed(ORDERS + 1);
        ledger.deduplicating.add(Order.id(ORDERS + 1));
        ledger.deduplicating.add(Receipt.id(ORDERS + 1));
        ledger.forgetful.add(Order.id(ORDERS + 1));

        assertThat(ledger.missing(ledger.forgetful)).containsExactly(Receipt.id(ORDERS + 1));
        assertThat(failures(Map.of())).containsExactly("1 lost without deduplication");
    }

    @Test
    void expectsTheReceiptOfAnOrderThatWasHandledThoughNotConfirmed() {
        handle(ledger.deduplicating, -1);
        handle(ledger.forgetful, -1);
        ledger.failed(ORDERS + 1, new IllegalStateException("no confirm"));
        ledger.forgetful.add(Order.id(ORDERS + 1));

        assertThat(ledger.missing(ledger.deduplicating)).isEmpty();
        assertThat(ledger.missing(ledger.forgetful)).containsExactly(Receipt.id(ORDERS + 1));
    }

    @Test
    void mindsWhatWasHandledTwiceWithDeduplicationOnly() {
        handle(ledger.deduplicating, -1);
        handle(ledger.forgetful, -1);
        ledger.forgetful.add("order-8");
        assertThat(failures(Map.of())).isEmpty();

        ledger.deduplicating.add("order-8");
        assertThat(failures(Map.of())).containsExactly("1 handled twice with deduplication");
    }

    @Test
    void findsWhatWasSetAsideOrLeft() {
        handle(ledger.deduplicating, -1);
        handle(ledger.forgetful, -1);

        assertThat(failures(Map.of("soak-once-poison", 1))).first().asString().startsWith("1 set aside");
        assertThat(failures(Map.of("soak-again-dead-letters", 2)))
                .first()
                .asString()
                .startsWith("2 set aside");
        assertThat(failures(Map.of("safebunny.unrouted", 3))).first().asString().startsWith("3 set aside");
        assertThat(failures(Map.of("safebunny.delayed.08", 4)))
                .first()
                .asString()
                .startsWith("4 left in queues");
    }

    @Test
    void aRunInWhichLittleHappenedFails() {
        assertThat(Verdict.failures(ledger, SECONDS, 0, Map.of()))
                .containsExactly("only 0 orders were confirmed, needs 600", "only 0 faults struck, needs 10");
    }

    private List<String> failures(Map<String, Integer> queues) {
        return Verdict.failures(ledger, SECONDS, FAULTS, queues);
    }

    private void handle(HandledMessages node, int except) {
        for (int number = 0; number < ORDERS; number++) {
            ledger.confirmed(number);
            if (number != except) {
                node.add(Order.id(number));
                if (Order.hasReceipt(number)) {
                    node.add(Receipt.id(number));
                }
            }
        }
    }
}
