// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a saga sends again is as old as its first sending, so a participant that has forgotten it does not repeat it. */
class SagaSentAgainTest {

    private static final String ID = "letter-1";
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final Duration POISON_RETENTION = Duration.ofDays(90);
    private static final Duration A_DAY = Duration.ofDays(1);

    private final SagaWorld world = new SagaWorld();
    private final MemoryMessageStore store = new MemoryMessageStore(world.timeline, RETENTION);
    private HandlerInvoker sending = (payload, context) -> world.effects.add("mail");
    private HandlerInvoker recalling = (payload, context) -> world.effects.add("recall");

    @BunnySaga(participants = "mailer")
    static final class Mailing {

        record Begin(String id) {}

        record GiveUp(String id) {}

        record SendMail(String id) {}

        record RecallMail(String id) {}

        record State(String id) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Begin begin, SagaContext saga) {
            saga.step("mail", new SendMail(begin.id()), new RecallMail(begin.id()));
            return new State(begin.id());
        }

        @BunnyHandler(from = "storefront")
        void on(GiveUp giveUp, SagaContext saga) {
            saga.fail("given up");
        }
    }

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start(
                "mailer",
                List.of(
                        SagaWorld.handler(
                                "letters",
                                Mailing.SendMail.class,
                                (payload, context) -> sending.invoke(payload, context)),
                        SagaWorld.handler(
                                "letters",
                                Mailing.RecallMail.class,
                                (payload, context) -> recalling.invoke(payload, context))));
        world.start("letters", store, List.of(), new Mailing());
    }

    private void begin() {
        world.publish("storefront", new Mailing.Begin("1"), ID);
    }

    private void giveUp() {
        world.publish("storefront", new Mailing.GiveUp("1"), ID);
    }

    private void later(Duration duration) {
        world.timeline.advance(duration);
        world.settle();
    }

    private void retry() {
        world.sagas("letters").retry("Mailing", ID, "perhaps now");
        world.settle();
    }

    private void resume() {
        world.sagas("letters").resume("Mailing", ID, "has it been done?");
        world.settle();
    }

    private void lose(String type) {
        world.arrivals = message -> type.equals(message.message().type()) ? 0 : 1;
    }

    private SagaView saga() {
        return world.sagas("letters").find("Mailing", ID).orElseThrow();
    }

    private void assertTooOld() {
        assertThat(saga().blockedOn())
                .singleElement()
                .extracting(BlockedOn::reason)
                .isEqualTo("too-old");
    }

    private HandlerInvoker failingAfter(String effect) {
        return (payload, context) -> {
            world.effects.add(effect);
            throw new PoisonMessageException("no answer from the server");
        };
    }

    @Test
    void aCommandIsHandledAgainWhileItsParticipantRemembersIt() {
        sending = failingAfter("mail");
        begin();
        sending = (payload, context) -> world.effects.add("mail");
        later(RETENTION.minus(A_DAY));

        retry();

        assertThat(world.effects).containsExactly("mail", "mail");
        assertThat(saga().blockedOn()).isEmpty();
    }

    @Test
    void aCommandThatItsParticipantHasForgottenIsNotRepeated() {
        sending = failingAfter("mail");
        begin();
        assertThat(saga().blockedOn()).hasSize(1);
        later(POISON_RETENTION.plus(A_DAY));

        retry();

        assertThat(world.effects).containsExactly("mail");
        assertTooOld();
    }

    @Test
    void anUndoThatItsParticipantHasForgottenIsNotRepeated() {
        begin();
        lose("BunnyUndone");
        giveUp();
        assertThat(world.effects).containsExactly("mail", "recall");
        later(RETENTION.plus(A_DAY));

        resume();

        assertThat(world.effects).containsExactly("mail", "recall");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertTooOld();
        world.arrivals = message -> 1;
        world.sagas("letters").skip("Mailing", ID, "mail", "the mailer says so");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void anUndoStaysAsOldAsItsFirstSendingHoweverOftenItIsSent() {
        begin();
        lose("BunnyUndone");
        giveUp();
        for (int days = 0; days < 6; days++) {
            later(A_DAY);
            resume();
        }
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATING);
        later(A_DAY.multipliedBy(2));

        resume();

        assertThat(world.effects).containsExactly("mail", "recall");
        assertTooOld();
    }

    @Test
    void anUndoThatWasSetAsideAndForgottenIsNotRepeated() {
        begin();
        recalling = failingAfter("recall");
        giveUp();
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        later(POISON_RETENTION.plus(A_DAY));

        resume();

        assertThat(world.effects).containsExactly("mail", "recall");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertTooOld();
    }

    /** It is as old as its own first sending, not as its step. */
    @Test
    void anUndoOfAnOldStepIsHandled() {
        begin();
        later(RETENTION.plus(A_DAY));

        giveUp();

        assertThat(world.effects).containsExactly("mail", "recall");
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }

    /** Its document does not say when the undo was sent. Too old rather than repeated. */
    @Test
    void anUndoThatAnEarlierVersionSentIsNotRepeatedEither() {
        begin();
        lose("BunnyUndone");
        giveUp();
        later(RETENTION.plus(A_DAY));
        MessageRecord stored = Objects.requireNonNull(store.find(SagaDocument.key("Mailing", ID)));
        Map<String, String> earlier = new HashMap<>(stored.steps());
        earlier.replaceAll((name, content) -> content.replaceAll(",\"undoSentAt\":\\d+", ""));
        assertThat(store.replace(stored.nextContent(stored.state(), "earlier", stored.listing(), earlier)))
                .isNotNull();

        resume();

        assertThat(world.effects).containsExactly("mail", "recall");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
    }
}
