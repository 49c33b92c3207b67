// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that was interrupted throws what is worth a retry, and leaves the interrupt behind. */
class InterruptedBackOffTest {

    private final RecoveryPolicy policy = new RecoveryPolicy(
            RetryStrategy.of(2, Duration.ofMillis(100)),
            RetryStrategy.after(Duration.ofSeconds(10)),
            List.of(IOException.class),
            List.of());

    @AfterEach
    void clear() {
        boolean unused = Thread.interrupted();
    }

    @Test
    void doesNotTakeTheMessageForOneThatIsNotWorthARetry() {
        Node node = new Node(policy);
        node.handler = (payload, context) -> {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("timeout");
        };
        node.deliver();

        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.runs).as("retries in memory come first").hasValue(3);
    }
}
