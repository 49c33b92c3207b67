// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A saga begins with what started it, however long that took: a history that begins later is told as one that was cut. */
class SagaBeginningTest {

    record Begin(int number) {}

    @BunnySaga
    static class Slow {
        record State(int number) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin) {
            return new State(begin.number());
        }
    }

    /** A millisecond later at each look. */
    private static final class Ticking extends ForwardingTimeline {
        private final AtomicLong looks = new AtomicLong();

        Ticking(Timeline timeline) {
            super(timeline);
        }

        @Override
        public Instant now() {
            return super.now().plusMillis(looks.incrementAndGet());
        }
    }

    @Test
    void itsFirstEventIsNotLaterThanItself() {
        SagaWorld world = new SagaWorld();
        world.start("desk", List.of());
        world.clocks = Ticking::new;
        world.start("shop", List.of(), new Slow());

        world.publish("desk", new Begin(1), "slow-1");

        SagaView saga = world.sagas("shop").find("Slow", "slow-1").orElseThrow();
        assertThat(saga.history()).isNotEmpty();
        assertThat(saga.history().get(0).at()).isEqualTo(saga.startedAt());
    }
}
