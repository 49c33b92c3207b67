// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.Wires;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What somebody reads at three in the morning. */
class FailureLogTest {

    private static final String HANDLER = "invoicing.on(OrderPlaced)";

    private final LogLines log = new LogLines("io.safebunny.poison.queue");
    private final Node node = new Node(Node.SIX_ATTEMPTS);

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void tellsTheFirstAndTheLastFailureWithTheirPlaceAndEachWithTheHandler() {
        node.failing(new NullPointerException("npe")).deliver();
        node.deliver(node.transport.returned().get(0));

        assertThat(log.texts())
                .hasSize(6)
                .allMatch(line -> line.contains(HANDLER) && line.contains("NullPointerException: npe"));
        assertThat(log.texts())
                .allMatch(line -> line.contains("type=OrderPlaced")
                        && line.contains("messageId=" + Wires.ID)
                        && line.contains("correlationId=" + Wires.CORRELATION_ID)
                        && line.contains(Node.QUEUE));
        assertThat(log.texts().get(0)).contains("in-memory retry 1 of 2");
        assertThat(log.texts().get(1)).contains("in-memory retry 2 of 2");
        assertThat(log.texts().get(2)).contains("delayed retry 1 of 1 in 10000 ms");
        assertThat(log.texts().get(3)).contains("in-memory retry 1 of 2");
        assertThat(log.texts().get(5)).contains("billing-poison", "retries-exhausted");
        assertThat(log.traced()).containsExactly(true, false, false, false, false, true);
    }

    @Test
    void tellsTheFirstFailureWithItsPlaceWhereThereAreNoRetriesInMemory() {
        Node delayedOnly = new Node(RecoveryPolicy.of(RetryStrategy.none(), Node.SIX_ATTEMPTS.delayed()));
        delayedOnly.failing(new NullPointerException("npe")).deliver();

        assertThat(log.texts()).singleElement().asString().contains(HANDLER, "delayed retry 1 of 1");
        assertThat(log.traced()).containsExactly(true);
    }

    @Test
    void tellsWhyAMessageIsRefusedWithoutATrace() {
        node.deliver(Wires.orderPlaced().withBody("{"));

        assertThat(log.texts()).singleElement().asString().contains("malformed-body", HANDLER, "Cannot read JSON");
        assertThat(log.traced()).containsExactly(false);
    }

    @Test
    void writesNothingOfASenderThatBeginsALine() {
        String forged = "x\r\n12:00:00 ERROR forged \u001b[31m \u2028 \u202e \u0085";
        for (String property :
                new String[] {"message_id", "correlation_id", "type", "content_type", "content_encoding"}) {
            node.deliver(Wires.orderPlaced().with(property, forged));
            node.timeline.advance(Duration.ofMinutes(2)); // else it is only counted
        }
        for (String header :
                new String[] {"sb-marker", "sb-causation-id", "sb-attempt", "sb-sent-at", "sb-poisoned-at"}) {
            node.deliver(Wires.orderPlaced().withHeader(header, forged));
            node.timeline.advance(Duration.ofMinutes(2));
        }
        node.failing(new IllegalStateException("no customer " + forged)).deliver();

        assertThat(log.texts()).hasSizeGreaterThan(11);
        assertThat(log.printed().lines())
                .noneMatch(line -> line.matches(".*[\\r\u001b\u2028\u202e\u0085].*"))
                .noneMatch(line -> line.startsWith("12:00:00 ERROR forged"));
        assertThat(node.transport.poisoned()).hasSize(10);
    }

    /** The text of a cause, of one that is suppressed, and of a class whose {@code toString} writes it. */
    @Test
    void writesNothingOfAMessageThatBeginsALineOfATrace() {
        String forged = "x\n12:00:00 ERROR forged";
        IllegalStateException failure = new IllegalStateException(new IllegalArgumentException(forged));
        failure.addSuppressed(new IllegalStateException(forged));

        node.failing(failure).deliver();

        assertThat(log.traced()).contains(true);
        assertThat(log.printed())
                .contains("x?12:00:00 ERROR forged", "IllegalArgumentException", "FailureLogTest.java")
                .doesNotContain(forged);
    }

    @Test
    void tellsEachFailureAtDebugThatIsOnlyCountedOtherwise() {
        node.failing(new IllegalStateException("no gateway"));
        try (LogLines all = new LogLines("io.safebunny.poison.queue.FailureLog", Level.DEBUG)) {
            for (int i = 0; i < 30; i++) {
                node.deliver(Wires.orderPlaced().with("message_id", "m-" + i).with("correlation_id", "order-" + i % 3));
            }

            assertThat(all.texts().stream().filter(line -> line.contains("delayed retry")))
                    .hasSize(30);
            assertThat(all.texts().stream()
                            .filter(line -> line.contains("delayed retry") && line.contains("correlationId=order-2")))
                    .hasSize(10);
        }
    }
}
