// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.fixture.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who looks for a message that nobody handled finds the one it was taken for. */
class SuppressedLogTest {

    private final LogLines log = new LogLines(Deduplication.class.getName(), Level.DEBUG);
    private final DedupBench bench = new DedupBench();

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void tellsEachDuplicateOnce() throws Exception {
        bench.deliver(execution -> {});
        assertThat(log.texts()).isEmpty();
        bench.deliver(execution -> {});

        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("duplicate", MESSAGE.id(), MESSAGE.correlationId(), MESSAGE.type());
    }
}
