// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
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

    private void fail(Throwable failure) {
        send();
        waiting.removeLast().completeExceptionally(failure);
    }

    @Test
    void sayWhyAndWhatToDo() {
        assertThat(destinations.causes()).isEmpty();
        send();
        assertThat(destinations.causes()).as("while it may still confirm").isEmpty();
        timeline.advance(Duration.ofSeconds(12));
        assertThat(destinations.causes())
                .containsExactly(
                        "shop.Ping: has confirmed nothing for 12 s. Check its queue, and whether the broker is blocked.");
        confirm();
        assertThat(destinations.causes()).isEmpty();

        fail(new UnroutableException(MESSAGE.publication(), "NO_ROUTE"));
        fail(new UnroutableException(MESSAGE.publication(), "NO_ROUTE"));
        assertThat(destinations.causes())
                .containsExactly(
                        "shop.Ping: no queue is bound for it. Start the node that consumes it once, so that its queue exists (2 in a row).");
        fail(new NackedException(MESSAGE.publication(), "full"));
        assertThat(destinations.causes()).singleElement().asString().contains("the broker refuses it", "(3 in a row)");
        fail(new PublishTimeoutException(MESSAGE.publication(), Duration.ofSeconds(1), "a confirm"));
        assertThat(destinations.causes()).singleElement().asString().contains("was not confirmed in time");
        refuse();
        assertThat(destinations.causes())
                .singleElement()
                .asString()
                .contains("fails with java.lang.IllegalStateException")
                .doesNotContain("refused");
        fail(new ConnectionLostException(MESSAGE.publication(), "gone", null));
        assertThat(destinations.causes())
                .as("the node knows that the broker is away")
                .hasSize(1);
        send();
        confirm();
        assertThat(destinations.causes()).isEmpty();
    }

    /** Another instance may have sent it long since. */
    @Test
    void sayNothingOfWhatFailedLongAgo() {
        refuse();
        timeline.advance(Duration.ofMinutes(9));
        assertThat(destinations.causes()).hasSize(1);
        timeline.advance(Duration.ofMinutes(1));
        assertThat(destinations.causes()).isEmpty();
    }

    @Test
    void nameAFewOfMany() {
        for (int i = 0; i < 8; i++) {
            OutboundMessage message = OutboxUnderTest.message("Type" + i, "c", "1");
            CompletableFuture<Void> unused = destinations
                    .watching(sent -> CompletableFuture.failedFuture(new IllegalStateException("refused")))
                    .apply(message);
        }

        assertThat(destinations.causes()).hasSize(6).endsWith("The same of 3 more.");
        assertThat(destinations.causes().get(0)).startsWith("shop.Type0: ");
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
