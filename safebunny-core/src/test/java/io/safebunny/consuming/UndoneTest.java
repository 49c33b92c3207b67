// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.consuming.Participant.STEP;
import static io.safebunny.consuming.Participant.UNDO;
import static io.safebunny.consuming.Participant.UNDO_ID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the saga's node is told of an undo. */
class UndoneTest {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Participant.RETENTION);
    private final Participant node = with(parts -> {});

    private Participant with(Consumer<SafeBunnyParts.Builder> others) {
        return new Participant(timeline, store, Node.ONE_ATTEMPT, others);
    }

    private static String only(Participant of) {
        assertThat(of.acknowledgements()).hasSize(1);
        return new String(of.acknowledgements().get(0).message().body(), UTF_8);
    }

    private static void publish(MessageContext context) {
        Published unused = context.publisher()
                .publish(new OrderPlaced("o-2", 1), PublishOptions.none().withIdempotencyKey("1"));
    }

    private MessageRecord stored(String messageId) {
        return Objects.requireNonNull(store.find(new RecordKey(Wires.CORRELATION_ID, messageId)));
    }

    @Test
    void saysWhoseStepWasUndone() {
        node.deliver(STEP);
        RecordedDelivery undo = node.deliver(UNDO);

        assertThat(undo.acknowledged()).isEqualTo(1);
        assertThat(node.effects).containsExactly("step", "undo");
        assertThat(only(node)).isEqualTo("{\"saga\":\"orders\",\"step\":\"" + Wires.ID + "\"}");
        WireMessage message = node.acknowledgements().get(0).message();
        assertThat(message.type()).isEqualTo("BunnyUndone");
        assertThat(message.appId()).isEqualTo("billing");
        assertThat(message.correlationId()).isEqualTo(Wires.CORRELATION_ID);
        assertThat(message.contentType()).isEqualTo("application/json");
        assertThat(message.headers())
                .containsEntry("sb-marker", 3)
                .containsEntry("sb-attempt", 0)
                .containsEntry("sb-causation-id", UNDO_ID)
                .containsEntry("sb-sent-at", timeline.now().toEpochMilli())
                .doesNotContainKey("sb-undoes");
    }

    @Test
    void comesOfAnUndoWithoutAStepToo() {
        RecordedDelivery undo = node.deliver(UNDO);
        RecordedDelivery step = node.deliver(STEP);

        assertThat(undo.acknowledged()).isEqualTo(1);
        assertThat(step.acknowledged()).isEqualTo(1);
        assertThat(node.effects).containsExactly("undo");
        assertThat(only(node)).isEqualTo("{\"saga\":\"orders\",\"step\":\"" + Wires.ID + "\"}");
        assertThat(stored(Wires.ID).state()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void isOneMessageHoweverOftenTheUndoIsHandled() {
        Participant forgetful = new Participant(timeline, null, Node.ONE_ATTEMPT);
        node.deliver(UNDO);
        node.deliver(UNDO);
        forgetful.deliver(UNDO);
        forgetful.deliver(UNDO);

        assertThat(node.acknowledgements()).hasSize(1);
        assertThat(forgetful.acknowledgements()).hasSize(2).allSatisfy(message -> assertThat(
                        message.message().messageId())
                .isEqualTo(node.acknowledgements().get(0).message().messageId()));
    }

    @Test
    void comesWithoutAStoreTooAfterTheUndoRan() {
        Participant forgetful = new Participant(timeline, null, Node.ONE_ATTEMPT);
        forgetful.deliver(UNDO);

        assertThat(forgetful.effects).containsExactly("undo");
        assertThat(only(forgetful)).contains("\"step\":");
    }

    @Test
    void isNotSentForAnyOtherMessage() {
        node.deliver(STEP);

        assertThat(node.acknowledgements()).isEmpty();
    }

    @Test
    void isNotSentWhenTheUndoFailsButWhenItsPoisonCopyIsReplayed() {
        node.deliver(STEP);
        node.undo = (payload, context) -> {
            throw new IllegalStateException("failed");
        };
        node.deliver(UNDO);
        assertThat(node.acknowledgements()).isEmpty();
        OutboundMessage poison = node.transport.poisoned().get(0);
        assertThat(poison.message().headers()).containsEntry("sb-undoes", Wires.ID);

        node.undo = (payload, context) -> node.effects.add("undo");
        node.deliver(poison);

        assertThat(node.effects).containsExactly("step", "undo");
        assertThat(only(node)).contains("\"step\":");
    }

    @Test
    void followsWhatTheUndoPublishes() {
        node.undo = (payload, context) -> publish(context);
        node.deliver(STEP);
        node.deliver(UNDO);

        assertThat(node.transport.published())
                .extracting(message -> message.message().type())
                .containsExactly("OrderPlaced", "BunnyUndone");
    }

    @Test
    void isPartOfTheCompletionAndWaitsThereWhileNobodyListens() {
        node.transport.answerNext(RecordingTransport.UNROUTABLE);
        RecordedDelivery undo = node.deliver(UNDO);

        assertThat(undo.acknowledged()).isEqualTo(1);
        assertThat(node.acknowledgements()).isEmpty();
        assertThat(stored(UNDO_ID).state()).isEqualTo(RecordState.COMPLETED);
        assertThat(stored(UNDO_ID).outgoing()).hasSize(1);
        timeline.advance(Participant.LEASE.multipliedBy(3));
        assertThat(node.acknowledgements()).hasSize(1);
    }

    @Test
    void isNoBusinessOfPublishMiddlewares() {
        List<String> seen = new ArrayList<>();
        PublishMiddleware watching = (context, next) -> {
            seen.add(context.type());
            next.run();
        };
        Participant watched = with(parts -> parts.publishMiddlewares(List.of(watching)));
        watched.deliver(UNDO);

        assertThat(watched.acknowledgements()).hasSize(1);
        assertThat(seen).isEmpty();
    }

    /** That scheme gives everything that follows from one message the same id. */
    @Test
    void hasAnIdOfItsOwnUnderTheSchemeMarkerMask() {
        Participant masking = with(parts -> parts.idScheme(new MarkerMaskIdScheme()));
        masking.undo = (payload, context) -> publish(context);
        masking.deliver(STEP);
        masking.deliver(UNDO);

        assertThat(masking.transport.published())
                .extracting(message -> message.message().messageId())
                .hasSize(2)
                .doesNotHaveDuplicates();
    }

    /** So that it can be undone by another delivery; the same goes for its copies. */
    @Test
    void anUndoThatWaitsForItsStepComesBackAsAnUndo() {
        node.step = (payload, context) -> {
            node.effects.add("step");
            node.deliver(UNDO);
        };
        node.deliver(STEP);
        assertThat(node.effects).containsExactly("step");
        OutboundMessage back = node.transport.returned().get(0);
        assertThat(back.delay()).isPositive().isLessThanOrEqualTo(Participant.LEASE);
        assertThat(back.message().headers()).containsEntry("sb-attempt", 0);

        node.deliver(back);

        assertThat(node.effects).containsExactly("step", "undo");
        assertThat(only(node)).contains("\"step\":");
    }

    @Test
    void aFailedAttemptOfTheUndoComesAgainAsAnUndo() {
        Participant retrying = new Participant(timeline, store, Node.SIX_ATTEMPTS);
        retrying.step = (payload, context) -> {
            throw new IllegalStateException("failed");
        };
        retrying.deliver(STEP);
        retrying.undo = (payload, context) -> {
            throw new IllegalStateException("failed");
        };
        retrying.deliver(UNDO);
        OutboundMessage stepAgain = retrying.transport.returned().get(0);
        OutboundMessage undoAgain = retrying.transport.returned().get(1);
        retrying.step = (payload, context) -> retrying.effects.add("step");
        retrying.undo = (payload, context) -> retrying.effects.add("undo");

        retrying.deliver(stepAgain);
        retrying.deliver(undoAgain);

        assertThat(retrying.effects).containsExactly("undo");
        assertThat(only(retrying)).contains("\"step\":");
    }
}
