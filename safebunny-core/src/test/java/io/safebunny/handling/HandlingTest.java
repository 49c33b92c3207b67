// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.Wires;
import io.safebunny.middleware.Next;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HandlingTest {

    private final NotHandledException doubt = NotHandledException.trouble("no answer", Duration.ZERO);

    private final CurrentHandling current = new CurrentHandling();
    private final Handling handling = new Handling(current, Wires.orderPlaced().envelope());
    private final SilentSteps silent = new SilentSteps();

    /** Steps that cannot be stored, and an attempt that cannot be begun again when told so. */
    private final class SilentSteps implements HandlerStore {
        final List<String> asked = new ArrayList<>();
        boolean canBeginAgain = true;

        @Override
        public @Nullable String find(String name) {
            return null;
        }

        @Override
        public void store(String name, String json) {
            throw doubt;
        }

        @Override
        public @Nullable MessageRecord companion(RecordKey key) {
            return null;
        }

        @Override
        public void beginAgain() {
            asked.add("begin again");
            if (!canBeginAgain) {
                throw doubt;
            }
        }
    }

    private OutboundMessage publish(String type) {
        OutboundMessage publication = new OutboundMessage(
                handling.message().toWire(), new Route.ToSubscribers(type + handling.nextOrdinal(type)), Duration.ZERO);
        handling.collect(publication);
        return publication;
    }

    @Test
    void isTheCurrentOneOfItsThreadWhileItRuns() throws Exception {
        Handling inner = new Handling(current, Wires.orderPlaced().envelope());
        handling.run(() -> {
            inner.run(() -> assertThat(current.get()).isSameAs(inner));
            assertThat(current.get()).isSameAs(handling);
        });

        assertThat(current.get()).isNull();
    }

    @Test
    void keepsWhatTheLastAttemptPublishedAndWhatWasPublishedBeforeAttempts() throws Exception {
        OutboundMessage before = publish("A");
        List<OutboundMessage> attempts = new ArrayList<>();
        for (int attempt = 0; attempt < 3; attempt++) {
            handling.attempt(() -> attempts.add(publish("A")));
        }

        assertThat(handling.collected()).containsExactly(before, attempts.get(2));
        assertThat(attempts)
                .extracting(OutboundMessage::route)
                .containsOnly(attempts.get(0).route());
    }

    /** By a key of the caller's: no ordinal is used. */
    @Test
    void keepsWhatWasPublishedWithoutAnOrdinal() throws Exception {
        OutboundMessage keyed =
                new OutboundMessage(handling.message().toWire(), new Route.ToSubscribers("keyed"), Duration.ZERO);
        handling.collect(keyed);
        handling.attempt(() -> {});
        handling.attempt(() -> {});

        assertThat(handling.collected()).containsExactly(keyed);
    }

    @Test
    void forgetsWhatAFailedAttemptPublished() {
        assertThatThrownBy(() -> handling.attempt(() -> {
                    publish("A");
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);

        assertThat(handling.collected()).isEmpty();
        assertThat(handling.nextOrdinal("A")).isEqualTo(1);
    }

    @Test
    void keepsWhatIsPublishedAfterAnAttemptWasUndone() throws Exception {
        handling.run(silent, () -> {
            handling.attempt(() -> publish("A"));
            handling.undoAttempt();
            OutboundMessage instead = publish("B");
            handling.attempt(() -> {});
            assertThat(handling.collected()).containsExactly(instead);
        });

        assertThat(silent.asked).hasSize(1);
    }

    @Test
    void endsWithTheDoubtWhateverTheHandlerMakesOfIt() {
        for (boolean swallows : new boolean[] {true, false}) {
            List<Exception> seen = new ArrayList<>();
            Next attempt = () -> handling.attempt(() -> {
                try {
                    int unused = handling.once("charge", Integer.class, () -> 1);
                } catch (NotHandledException e) {
                    if (!swallows) {
                        throw new IOException("wrapped", e);
                    }
                }
            });
            assertThatThrownBy(() -> handling.run(silent, () -> {
                        try {
                            attempt.run();
                        } catch (Exception e) {
                            seen.add(e);
                            throw e;
                        }
                    }))
                    .isSameAs(doubt);
            assertThat(seen).as("what a retry around it sees").containsExactly(doubt);
        }
    }

    @Test
    void endsWithTheDoubtWhateverAMiddlewareMakesOfIt() {
        List<OutboundMessage> again = new ArrayList<>();
        assertThatThrownBy(() -> handling.run(silent, () -> {
                    assertThatThrownBy(() -> handling.attempt(() -> handling.once("charge", Integer.class, () -> 1)))
                            .isSameAs(doubt);
                    assertThatThrownBy(() -> handling.attempt(() -> again.add(publish("A"))))
                            .isSameAs(doubt);
                }))
                .isSameAs(doubt);
        assertThat(again).as("the handler ran again").isEmpty();
        assertThat(handling.collected()).isEmpty();
    }

    @Test
    void endsWhenNoAttemptCanBeginAgain() {
        silent.canBeginAgain = false;
        assertThatThrownBy(() -> handling.run(silent, () -> {
                    handling.attempt(() -> publish("A"));
                    assertThatThrownBy(() -> handling.attempt(() -> {})).isSameAs(doubt);
                }))
                .isSameAs(doubt);

        assertThat(silent.asked).hasSize(1);
        assertThat(handling.collected()).isEmpty();
    }

    @Test
    void publishesNeitherInAStepNorWhileItsTransactionEnds() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> handling.once("charge", Integer.class, () -> {
                    handling.requirePublishing();
                    return 1;
                }))
                .withMessageContaining("charge");
        handling.requirePublishing();
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> handling.end(() -> {
                    handling.requirePublishing();
                    return true;
                }));
        assertThat(current.get()).isNull();
    }

    /** What was joined was overtaken at the end of the transaction: the next run is part of another one. */
    @Test
    void publishesAgainAfterATransactionThatWasOvertaken() {
        assertThat(handling.end(() -> "overtaken")).isEqualTo("overtaken");
        assertThatExceptionOfType(InvalidPublicationException.class).isThrownBy(handling::requirePublishing);

        handling.startAgain();

        assertThatCode(handling::requirePublishing).doesNotThrowAnyException();
    }
}
