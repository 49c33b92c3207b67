// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.safebunny.failure.policy.NotHandledException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An interrupt that arrives while publications are sent says nothing about the broker: only this message comes back. */
class InterruptedDispatchTest {

    private final DedupBench bench = new DedupBench();

    @AfterEach
    void clear() {
        boolean unused = Thread.interrupted();
    }

    @Test
    void isNoTroubleOfTheWholeType() {
        bench.transport.answerNext(message -> {
            Thread.currentThread().interrupt();
            return new CompletableFuture<>();
        });

        NotHandledException failure =
                catchThrowableOfType(NotHandledException.class, () -> bench.deliver(execution -> bench.publish()));

        assertThat(failure).isNotNull();
        assertThat(failure.isTrouble()).isFalse();
    }
}
