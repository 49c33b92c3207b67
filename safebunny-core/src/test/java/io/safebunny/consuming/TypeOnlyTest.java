// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.Wires;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code safebunny.poison.exception-details=type-only}: exceptions quote what must not be told. */
class TypeOnlyTest {

    private static final String SECRET = "card 4111 of Alice";

    private final IllegalStateException failure =
            new IllegalStateException(SECRET, new SQLException("Failing row contains (" + SECRET + ")"));

    private final LogLines log = new LogLines("io.safebunny.poison.queue");

    @AfterEach
    void close() {
        log.close();
    }

    private Map<String, Object> poisonOf(Node node) {
        return node.transport.poisoned().get(0).message().headers();
    }

    @Test
    void fullTellsEverything() {
        Node node = new Node(Node.ONE_ATTEMPT).failing(failure);
        node.deliver();

        assertThat(poisonOf(node).toString()).contains(SECRET, "Failing row");
        assertThat(log.printed()).contains(SECRET, "Failing row");
    }

    @Test
    void tellsNoTextOfAnExceptionOrItsCauses() {
        Node node = new Node(ExceptionDetails.TYPE_ONLY, Node.ONE_ATTEMPT).failing(failure);
        node.deliver();

        assertThat(poisonOf(node).toString()).doesNotContain("4111", "Alice", "Failing row");
        assertThat(poisonOf(node))
                .containsEntry("x-exception-type", "java.lang.IllegalStateException")
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .startsWith("java.lang.IllegalStateException at " + TypeOnlyTest.class.getName()))
                .hasEntrySatisfying("x-exception-stacktrace", trace -> assertThat(trace.toString())
                        .contains("Caused by: java.sql.SQLException at ", "TypeOnlyTest.java:"));
        assertThat(log.printed())
                .doesNotContain("4111", "Alice", "Failing row")
                .contains("java.lang.IllegalStateException", "java.sql.SQLException", "TypeOnlyTest.java:");
    }

    @Test
    void tellsNoTextOfRetriesEither() {
        Node node = new Node(ExceptionDetails.TYPE_ONLY, Node.SIX_ATTEMPTS).failing(failure);
        node.deliver();

        assertThat(log.texts()).hasSize(3);
        assertThat(log.printed()).doesNotContain("4111", "Alice", "Failing row");
    }

    @Test
    void tellsNoTextOfARefusal() {
        Node node = new Node(ExceptionDetails.TYPE_ONLY, Node.ONE_ATTEMPT);
        node.deliver(Wires.orderPlaced().with("type", "Alice4111"));

        assertThat(poisonOf(node))
                .containsEntry("sb-poison-reason", "unknown-type")
                .containsEntry("x-exception-message", "SB-3003 io.safebunny.message.InvalidMessageException");
    }

    @Test
    void tellsNoTextOfAMiddlewareThatFailsAfterwards() {
        Node node = new Node(ExceptionDetails.TYPE_ONLY, Node.ONE_ATTEMPT, new After((context, next) -> {
            throw failure;
        }));
        try (LogLines after = new LogLines("io.safebunny.consuming")) {
            node.deliver();

            assertThat(after.texts()).hasSize(1);
            assertThat(after.printed()).doesNotContain("4111", "Alice", "Failing row");
        }
    }
}
