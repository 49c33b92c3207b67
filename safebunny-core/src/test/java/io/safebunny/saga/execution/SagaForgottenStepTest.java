// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.execution.SagaSentAgainTest.Mailing;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A participant whose configuration has changed does not know of a step that it has handled: its undo runs all the same. */
class SagaForgottenStepTest {

    private static final String ID = "letter-1";

    private final SagaWorld world = new SagaWorld();

    private void startMailer(@Nullable MessageStore store) {
        world.stop("mailer");
        world.start(
                "mailer",
                store,
                List.of(
                        SagaWorld.handler("letters", Mailing.SendMail.class, (payload, context) -> {
                            world.effects.add("mail");
                        }),
                        SagaWorld.handler("letters", Mailing.RecallMail.class, (payload, context) -> {
                            world.effects.add("recall");
                        })));
    }

    private MemoryMessageStore remembering(Duration retention) {
        return new MemoryMessageStore(world.timeline, retention);
    }

    private void begin() {
        world.start("storefront", List.of());
        world.start("letters", List.of(), new Mailing());
        world.publish("storefront", new Mailing.Begin("1"), ID);
        assertThat(world.effects).containsExactly("mail");
    }

    private void assertUndone() {
        world.publish("storefront", new Mailing.GiveUp("1"), ID);

        assertThat(world.effects).containsExactly("mail", "recall");
        assertThat(world.saga("letters", ID).status()).isEqualTo(SagaStatus.FAILED);
    }

    /** The record expired by the retention that it was written with, and by the present one it would still be there. */
    @Test
    void afterTheRetentionWasRaised() {
        startMailer(remembering(Duration.ofDays(1)));
        begin();
        world.timeline.advance(Duration.ofDays(2));
        world.settle();

        assertUndone();
    }

    @Test
    void afterAStoreWasAdded() {
        startMailer(null);
        begin();
        startMailer(remembering(Duration.ofDays(7)));

        assertUndone();
    }

    @Test
    void afterTheStoreWasSwitched() {
        startMailer(remembering(Duration.ofDays(7)));
        begin();
        startMailer(remembering(Duration.ofDays(7)));

        assertUndone();
    }

    @Test
    void afterTheStoreWasTakenAway() {
        startMailer(remembering(Duration.ofDays(7)));
        begin();
        startMailer(null);

        assertUndone();
    }
}
