// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A saga has a timeout, and for a day no instance runs whose class reads its state. */
class SagaUnreadTimeoutsTest {

    private static final String ID = "card-1";

    record Open(String id) {}

    @BunnySaga(name = "Card")
    static final class Newer {
        enum Level {
            GOLD
        }

        record State(Level level) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Open open, SagaContext saga) {
            saga.timeout("late", Duration.ofHours(1));
            return new State(Level.GOLD);
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.complete();
        }
    }

    @BunnySaga(name = "Card")
    static final class Older {
        enum Grade {
            SILVER
        }

        record Graded(Grade level) {}

        @Starts
        @BunnyHandler(from = "desk")
        Graded on(Open open, SagaContext saga) {
            saga.timeout("late", Duration.ofHours(1));
            return new Graded(Grade.SILVER);
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.complete();
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final MemoryMessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));

    private void deploy(Object saga) {
        world.stop("cards");
        world.start("cards", store, List.of(), saga);
        world.settle();
    }

    @Test
    void itsAlarmIsNotSentAgainAndAgain() {
        world.start("desk", List.of());
        deploy(new Newer());
        var unused =
                world.bunny("desk").publish(new Open(ID), PublishOptions.none().withCorrelationId(ID));
        world.settle();
        deploy(new Older());
        world.pass(Duration.ofDays(1));
        assertThat(world.saga("cards", ID).status()).isEqualTo(SagaStatus.ACTIVE);

        deploy(new Newer());
        world.pass(Duration.ofMinutes(2));

        assertThat(world.saga("cards", ID).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(world.counted("safebunny.dedup", "type", "BunnyTimeout", "outcome", "hit"))
                .isLessThanOrEqualTo(1);
    }
}
