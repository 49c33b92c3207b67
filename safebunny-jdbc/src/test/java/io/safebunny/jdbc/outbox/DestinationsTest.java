// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DestinationsTest {

    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final OutboundMessage MESSAGE = OutboxUnderTest.message("c", "1");
    private static final Route THERE = MESSAGE.route();

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Destinations destinations = new Destinations(timeline, INTERVAL);
    private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();

    private void send() {
        CompletableFuture<Void> unused = destinations
                .watching(message -> {
                    waiting.add(new CompletableFuture<>());
                    return waiting.getLast();
                })
                .apply(MESSAGE);
    }

    private void confirm() {
        waiting.remove().complete(null);
    }

    private void refuse() {
        send();
        waiting.removeLast().completeExceptionally(new IllegalStateException("refused"));
    }

    private int tries() {
        int tries = 0;
        while (tries < 1_000 && destinations.mayTry(THERE)) {
            tries++;
        }
        return tries;
    }

    @Test
    void oneThatIsNotKnownGetsAll() {
        assertThat(tries()).isEqualTo(1_000);
    }

    /** That is the broker's, and concerns all of them. */
    @Test
    void aLostConnectionIsNoRefusal() {
        for (int i = 0; i < 2 * Destinations.FEW; i++) {
            send();
            waiting.removeLast()
                    .completeExceptionally(new ConnectionLostException(MESSAGE.publication(), "gone", null));
        }
        assertThat(destinations.isAway()).isTrue();
        assertThat(destinations.isInTrouble(THERE)).isFalse();
    }

    @Test
    void oneThatConfirmsGetsAllHoweverManyWait() {
        for (int i = 0; i < 10; i++) {
            send();
            send();
            timeline.advance(Duration.ofSeconds(1));
            confirm();
        }
        assertThat(destinations.isInTrouble(THERE)).isFalse();
    }

    @Test
    void oneThatConfirmsNoneForAWhileGetsAFewInEachInterval() {
        send();
        send();
        timeline.advance(Destinations.SILENCE.minusMillis(1));
        assertThat(destinations.isInTrouble(THERE)).isFalse();
        timeline.advance(Duration.ofMillis(1));
        assertThat(tries()).isEqualTo(Destinations.FEW);
        timeline.advance(INTERVAL);
        assertThat(tries()).isEqualTo(Destinations.FEW);
        confirm();
        assertThat(tries()).isEqualTo(1_000);
    }

    /** Some of its messages cannot be sent, others can. */
    @Test
    void oneThatRefusesSomeGetsAll() {
        for (int i = 1; i < Destinations.FEW; i++) {
            refuse();
        }
        assertThat(tries()).isEqualTo(1_000);
        send();
        confirm();
        refuse();
        assertThat(tries()).isEqualTo(1_000);
    }

    @Test
    void oneThatRefusesOneAfterTheOtherGetsAFew() {
        for (int i = 0; i < Destinations.FEW; i++) {
            refuse();
        }
        assertThat(tries()).isEqualTo(Destinations.FEW);
        send();
        confirm();
        assertThat(tries()).isEqualTo(1_000);
    }

    @Test
    void theOthersWaitAsLongAsTheTroubleHasLastedUpToAMinute() {
        send();
        timeline.advance(Duration.ofSeconds(3));
        assertThat(destinations.putOff(THERE)).hasSeconds(5);
        timeline.advance(Duration.ofSeconds(8));
        assertThat(destinations.putOff(THERE)).hasSeconds(10);
        timeline.advance(Duration.ofSeconds(10));
        assertThat(destinations.putOff(THERE)).hasSeconds(20);
        timeline.advance(Duration.ofHours(1));
        assertThat(destinations.putOff(THERE)).hasSeconds(40);
    }

    @Test
    void theBrokerIsAwayUntilAnyDestinationAnswers() {
        send();
        waiting.remove().completeExceptionally(new ConnectionLostException(MESSAGE.publication(), "test", null));
        assertThat(destinations.isAway()).isTrue();
        refuse();
        assertThat(destinations.isAway()).isFalse();
    }

    @Test
    void aSenderThatThrowsHasRefused() {
        for (int i = 0; i < Destinations.FEW; i++) {
            try {
                CompletableFuture<Void> unused = destinations
                        .watching(message -> {
                            throw new IllegalStateException("refused");
                        })
                        .apply(MESSAGE);
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("refused");
            }
        }
        assertThat(destinations.isInTrouble(THERE)).isTrue();
    }
}
