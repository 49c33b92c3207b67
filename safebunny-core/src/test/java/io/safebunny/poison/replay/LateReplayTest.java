// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.NackedException;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.store.Retention;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A replay shortly before the record expires that knows which steps of its message were done. */
class LateReplayTest {

    private static final Duration KEPT = Retention.DEFAULT_POISONED;

    private final PoisonNode node = new PoisonNode(timeline -> new MemoryMessageStore(timeline, PoisonNode.RETENTION));
    private final List<String> charges = new ArrayList<>();
    private final List<WireMessage> sent = new ArrayList<>();
    private boolean works;

    private void setAsideAfterItsCharge(WireMessage order) {
        node.handler = (payload, context) -> {
            context.once("charge", () -> charges.add(context.messageId()));
            if (!works) {
                throw new IllegalStateException("no courier");
            }
        };
        node.send(order, new Route.ToQueue(PoisonNode.QUEUE));
        works = true;
    }

    private WireMessage order() {
        long now = node.timeline.now().toEpochMilli();
        return Wires.orderPlaced()
                .with("message_id", "o-1")
                .withHeader(Headers.SENT_AT, now)
                .wire();
    }

    /** Replays it, and keeps what is sent on its way. */
    private void replayOnItsWay() {
        node.refusal =
                message -> keep(message) ? new NackedException(message.publication(), "it is still on its way") : null;
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        node.refusal = message -> null;
        node.takeAll();
    }

    private boolean keep(OutboundMessage message) {
        return message.route().routingKey().equals(PoisonNode.QUEUE) && sent.add(message.message());
    }

    private void arrivesAfter(Duration time) {
        node.timeline.advance(time);
        assertThat(Objects.requireNonNull(node.store).removeExpired(10)).isEqualTo(1);
        node.send(sent.get(0), new Route.ToQueue(PoisonNode.QUEUE));
    }

    @Test
    void thatArrivesAfterItRepeatsNoStep() {
        setAsideAfterItsCharge(order());
        node.timeline.advance(KEPT.minusHours(4));
        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.RUN);

        replayOnItsWay();
        arrivesAfter(Duration.ofHours(5));

        assertThat(charges).containsExactly("o-1");
        assertThat(node.copies()).singleElement().satisfies(copy -> assertThat(copy.headers())
                .containsEntry(Headers.POISON_REASON, "too-old"));
        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
    }

    /** Of a foreign sender. */
    @Test
    void ofOneWithoutAnAgeThatArrivesAfterItRepeatsNoStepEither() {
        setAsideAfterItsCharge(Wires.orderPlaced()
                .withoutHeaders()
                .with("message_id", "o-1")
                .with("timestamp", null)
                .wire());
        node.timeline.advance(KEPT.minusHours(4));

        replayOnItsWay();
        arrivesAfter(Duration.ofHours(5));

        assertThat(charges).containsExactly("o-1");
        assertThat(node.copies()).hasSize(1);
    }

    @Test
    void thatArrivesInTimeIsHandled() {
        setAsideAfterItsCharge(order());
        node.timeline.advance(KEPT.minusHours(4));

        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(node.handled).containsExactly("o-1", "o-1");
        assertThat(charges).containsExactly("o-1");
        assertThat(node.copies()).isEmpty();
    }

    /** A forced one is handled; nobody has removed the record so far, so no step is repeated. */
    @Test
    void whenTheRecordIsAboutToGoIsRefusedUnlessForced() {
        setAsideAfterItsCharge(order());
        node.timeline.advance(KEPT.minusMinutes(10));

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        assertThat(node.replay(PoisonNode.everything().withForce()).moved()).isEqualTo(1);

        assertThat(node.handled).containsExactly("o-1", "o-1");
        assertThat(charges).containsExactly("o-1");
    }

    @Test
    void ofOneWithoutAnAgeIsRefusedThenToo() {
        setAsideAfterItsCharge(Wires.orderPlaced()
                .withoutHeaders()
                .with("message_id", "o-1")
                .with("timestamp", null)
                .wire());
        node.timeline.advance(KEPT.minusMinutes(10));

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
    }

    /** It was refused while messages were remembered for a shorter time. */
    @Test
    void ofWhatWasTooOldOnceIsRefusedHoweverYoungItCountsNow() {
        node.setAside(Wires.orderPlaced()
                .withHeader(Headers.SENT_AT, node.timeline.now().toEpochMilli())
                .withHeader(Headers.POISON_QUEUE, PoisonNode.QUEUE)
                .withHeader(Headers.POISONED_AT, node.timeline.now().toEpochMilli())
                .withHeader(Headers.POISON_REASON, "too-old")
                .wire());

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        assertThat(node.replay(PoisonNode.everything().withForce()).moved()).isEqualTo(1);
        assertThat(node.handled).hasSize(1);
    }
}
