// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory.Failed;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Refused;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaHistory.Took;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HappeningTest {

    /** Stored histories have these words, so they are fixed. */
    @Test
    void isReadAsItWasWritten() {
        List<Happening> happenings = List.of(
                new Took("Captured", "m-1"),
                new TimedOut("payment is over"),
                new SentStep("capture: now", "Capture"),
                new SetAside(new BlockedOn("m-2", "Capture", "billing", "handler-failed")),
                new Failed("took Captured m-1"),
                new Repaired(Action.RESUME, "(it is mended): at last"),
                new Refused(Action.SKIP, "((it is done): by hand): it has no step of that name"));
        assertThat(happenings)
                .extracting(Happening::words)
                .containsExactly(
                        "took Captured m-1",
                        "timeout payment is over is over",
                        "step capture: now: Capture",
                        "Capture m-2 was set aside by billing: handler-failed",
                        "failed: took Captured m-1",
                        "RESUME: (it is mended): at last",
                        "refused SKIP ((it is done): by hand): it has no step of that name");
        assertThat(happenings).allSatisfy(one -> assertThat(read(one.words())).isEqualTo(one));
    }

    @Test
    void isNothingKnownOfOtherWords() {
        assertThat(List.of("completed", "undoing step capture", "timeout payment at 2026-01-01T00:00:00Z", "took …"))
                .allSatisfy(words -> assertThat(read(words)).isNull());
    }

    private static @Nullable Happening read(String words) {
        return Happening.of(new Event(Instant.EPOCH, words));
    }
}
