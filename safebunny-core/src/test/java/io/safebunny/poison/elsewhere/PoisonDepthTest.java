// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.BrowsingException;
import io.safebunny.poison.elsewhere.SetAside.Uncounted;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PoisonDepthTest {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Broker broker = new Broker();
    private long begun;
    private final PoisonDepth depth = new PoisonDepth("billing", broker, () -> begun, timeline, Runnable::run);

    @Test
    void asksOnlyWhenSomebodyReadsAndAtMostEveryFifteenSeconds() {
        broker.depth = OptionalLong.of(3);
        timeline.advance(Duration.ofHours(1));

        assertThat(broker.asked).isZero();
        depth.get();
        for (int i = 0; i < 60; i++) {
            timeline.advance(Duration.ofSeconds(1));
            assertThat(depth.get().doubleValue()).isEqualTo(3);
        }
        assertThat(broker.asked).isEqualTo(5);

        timeline.advance(Duration.ofHours(1));
        int untilNobodyReads = broker.asked;
        timeline.advance(Duration.ofHours(1));

        assertThat(broker.asked).isEqualTo(untilNobodyReads).isLessThan(60);
        assertThat(depth.get().doubleValue())
                .as("older than an hour")
                .satisfiesAnyOf(known -> assertThat(known).isNaN(), known -> assertThat(known)
                        .isEqualTo(3));
    }

    @Test
    void isAskedForAgainAsSoonAsTheBrokerIsBack() {
        broker.away = true;
        assertThat(depth.get().doubleValue()).isNaN();
        broker.away = false;
        broker.depth = OptionalLong.of(7);

        timeline.advance(PoisonDepth.INTERVAL);

        assertThat(depth.get().doubleValue()).isEqualTo(7);
    }

    @Test
    void isUnknownWhileTheBrokerIsAway() {
        broker.depth = OptionalLong.of(7);
        depth.get();
        broker.away = true;
        timeline.advance(PoisonDepth.INTERVAL);

        assertThat(depth.get().doubleValue()).isNaN();
    }

    /** The broker does not count what somebody holds. */
    @Test
    void isUnknownWhileSomebodyBrowsesAndAskedForOnceNobodyDoes() {
        broker.depth = OptionalLong.of(0);
        begun = -1;
        depth.get();
        timeline.advance(PoisonDepth.INTERVAL);

        assertThat(depth.get().doubleValue()).isNaN();
        assertThat(broker.asked).isZero();

        begun = 1;
        broker.depth = OptionalLong.of(7);
        broker.whenAsked = () -> begun++;
        timeline.advance(PoisonDepth.WHILE_HELD);
        assertThat(depth.get().doubleValue())
                .as("somebody has browsed meanwhile")
                .isNaN();

        broker.whenAsked = () -> {};
        timeline.advance(PoisonDepth.WHILE_HELD);
        assertThat(depth.get().doubleValue()).isEqualTo(7);
    }

    @Test
    void leavesABrokerAloneThatRefuses() {
        broker.refuses = true;
        depth.get();
        timeline.advance(PoisonDepth.INTERVAL.multipliedBy(3));

        assertThat(broker.asked).isEqualTo(1);
    }

    @Test
    void isUnknownWhileTheBrokerDoesNotSay() {
        assertThat(depth.get().doubleValue()).isNaN();
        broker.depth = OptionalLong.of(7);
        timeline.advance(PoisonDepth.INTERVAL);

        assertThat(depth.get().doubleValue()).isEqualTo(7);
    }

    /** Those who look at what is set aside, and those who measure it. */
    @Test
    void isAskedOnceForBothOfItsReaders() {
        broker.depth = OptionalLong.of(3);
        depth.get();
        assertThat(broker.asked).isEqualTo(1);
        broker.depth = OptionalLong.of(4);
        for (int i = 0; i < 10; i++) {
            timeline.advance(Duration.ofSeconds(14));
            assertThat(depth.ask().copies()).hasValue(4);
            assertThat(depth.get().doubleValue()).isEqualTo(4);
        }

        assertThat(broker.asked).isEqualTo(11);
    }

    @Test
    void aRefusalCountsForBothOfItsReaders() {
        broker.refuses = true;
        assertThat(depth.ask().uncounted()).isEqualTo(Uncounted.REFUSED);
        depth.get();
        timeline.advance(PoisonDepth.INTERVAL.multipliedBy(2));
        assertThat(depth.ask().uncounted()).isEqualTo(Uncounted.REFUSED);
        assertThat(broker.asked).isEqualTo(1);

        broker.refuses = false;
        broker.depth = OptionalLong.of(3);
        timeline.advance(PoisonDepth.AFTER_REFUSAL);
        assertThat(depth.get().doubleValue()).isEqualTo(3);
    }

    @Test
    void aFailureIsNotTheLastCount() {
        broker.depth = OptionalLong.of(3);
        depth.get();
        broker.whenAsked = () -> {
            throw new AssertionError("as the test wants");
        };
        assertThatExceptionOfType(AssertionError.class).isThrownBy(depth::ask);

        assertThat(depth.get().doubleValue()).isNaN();
    }

    private static final class Broker implements Transport {

        private OptionalLong depth = OptionalLong.empty();
        private int asked;
        private Runnable whenAsked = () -> {};
        private boolean away;
        private boolean refuses;

        @Override
        public OptionalLong depth(String queue) {
            assertThat(queue).isEqualTo("billing-poison");
            asked++;
            whenAsked.run();
            if (away) {
                throw new BrowsingException(queue, "there is no connection to the broker.", null);
            }
            if (refuses) {
                throw BrowsingException.denied(queue, "access refused", null);
            }
            return depth;
        }

        @Override
        public void start(Topology topology) {}

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public TransportStatus status() {
            return new TransportStatus(true, "measuring");
        }

        @Override
        public void close() {}
    }
}
