// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A verdict is what a replay then does, for each combination of what is stored and what the copy says. */
class VerdictsTest {

    /** 10,000 take about twenty times as long. */
    private static final int MESSAGES = Integer.getInteger("safebunny.verdicts", 600);

    private enum Situation {
        NOTHING_STORED,
        RELEASED,
        RELEASED_LONG_AGO,
        CLAIMED,
        PARKED,
        COMPLETED,
        DISPATCHED,
        UNDONE,
        POISONED,
        POISONED_LONG_AGO,
        POISONED_AGAIN,
        POISONED_WITHOUT_VERSION,
        OTHER_MESSAGE,
        TOO_OLD,
        MALFORMED
    }

    private final Random random = new Random(7);

    private static PoisonNode withStore() {
        return new PoisonNode(timeline -> new MemoryMessageStore(timeline, PoisonNode.RETENTION));
    }

    @Test
    void verdictsAreOutcomes() {
        PoisonNode node = withStore();
        Map<Situation, Integer> counts = new EnumMap<>(Situation.class);
        for (int i = 0; i < MESSAGES; i++) {
            Situation situation = Situation.values()[random.nextInt(Situation.values().length)];
            counts.merge(situation, 1, Integer::sum);
            requireOutcome(node, situation, "message-" + i);
        }
        assertThat(counts).hasSize(Situation.values().length);
        node.stop();
    }

    private void requireOutcome(PoisonNode node, Situation situation, String id) {
        WireMessage copy = set(node, situation, id);
        node.setAside(copy);
        PoisonedMessage shown = node.list().get(0);
        assertThat(node.copies()).hasSize(1);

        Outcome outcome = shown.verdict().isReplayed() ? replayed(node, id) : byHand(node, copy, id);

        assertThat(outcome).as("%s: %s", situation, shown.explanation()).isEqualTo(expected(shown.verdict()));
        node.takeAll(); // whatever came back is no part of the next
    }

    private enum Outcome {
        RAN,
        SENT,
        NOTHING,
        CAME_BACK
    }

    private static Outcome expected(Verdict verdict) {
        return switch (verdict) {
            case RUN, REPEATS -> Outcome.RAN;
            case RESEND -> Outcome.SENT;
            case DONE, BUSY -> Outcome.NOTHING; // a busy one waits for its delayed copy
            case SUPERSEDED, CLASH, TOO_OLD, REFUSED -> Outcome.CAME_BACK;
            case UNKNOWN -> throw new AssertionError("the store answers");
            case UNWANTED, UNSURE -> throw new AssertionError("no saga has sent them");
        };
    }

    private static Outcome replayed(PoisonNode node, String id) {
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);
        return outcome(node, id);
    }

    private static Outcome byHand(PoisonNode node, WireMessage copy, String id) {
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        node.takeAll();
        node.send(copy, new Route.ToQueue(PoisonNode.QUEUE));
        return outcome(node, id);
    }

    private static Outcome outcome(PoisonNode node, String id) {
        if (node.handled.remove(id)) {
            assertThat(node.handled).isEmpty();
            return Outcome.RAN;
        }
        if (node.captured.remove(id)) {
            return Outcome.SENT;
        }
        return node.copies().isEmpty() ? Outcome.NOTHING : Outcome.CAME_BACK;
    }

    private WireMessage set(PoisonNode node, Situation situation, String id) {
        Wires message = Wires.orderPlaced().with("message_id", id);
        if (situation.name().endsWith("LONG_AGO") || situation == Situation.TOO_OLD) {
            message = message.withHeader(
                    Headers.SENT_AT,
                    node.timeline.now().minus(PoisonNode.RETENTION).toEpochMilli() - 1);
        }
        if (situation == Situation.MALFORMED) {
            message = message.withBody("{");
        }
        MessageRecord record = record(node, situation, message, id);
        Wires copy = message.withHeader(Headers.POISON_REASON, "handler-failed")
                .withHeader(Headers.POISON_QUEUE, PoisonNode.QUEUE)
                .withHeader(Headers.POISON_DIGEST, "digest of " + id)
                .withHeader(Headers.POISONED_AT, node.timeline.now().toEpochMilli());
        long version = record == null ? random.nextInt(3) : record.version();
        if (situation == Situation.POISONED_AGAIN) {
            version--;
        }
        return situation == Situation.POISONED_WITHOUT_VERSION || version == 0
                ? copy.wire()
                : copy.withHeader(Headers.POISON_VERSION, version).wire();
    }

    private @Nullable MessageRecord record(PoisonNode node, Situation situation, Wires message, String id) {
        if (situation == Situation.NOTHING_STORED
                || situation == Situation.TOO_OLD
                || situation == Situation.MALFORMED) {
            return null;
        }
        MessageStore store = Objects.requireNonNull(node.store);
        Wires stored = situation == Situation.OTHER_MESSAGE
                ? message.withBody("{\"orderId\":\"other\",\"total\":1}")
                : message;
        MessageRecord record = store.create(MessageRecord.claim(
                new RecordKey(Wires.CORRELATION_ID, id),
                "another-1",
                Duration.ofMinutes(1),
                0,
                Fingerprint.of(stored.envelope())));
        for (int extra = random.nextInt(3); extra >= 0; extra--) {
            record = Objects.requireNonNull(store.replace(record.next(RecordState.CLAIMED)));
        }
        MessageRecord next =
                switch (situation) {
                    case CLAIMED -> record.next(RecordState.CLAIMED);
                    case RELEASED, RELEASED_LONG_AGO -> record.next(RecordState.RELEASED);
                    case PARKED -> record.next(RecordState.PARKED, List.of(captured(id)));
                    case COMPLETED -> record.completed(List.of(captured(id)));
                    case DISPATCHED -> record.dispatched();
                    case UNDONE -> record.next(RecordState.UNDONE);
                    default -> record.next(RecordState.POISONED);
                };
        return store.replace(next);
    }

    private static OutboundMessage captured(String id) {
        return new OutboundMessage(
                Wires.orderPlaced()
                        .with("message_id", "child-of-" + id)
                        .with("type", "PaymentCaptured")
                        .with("app_id", "billing")
                        .withBody("{\"orderId\":\"" + id + "\"}")
                        .wire(),
                new Route.ToSubscribers("billing-PaymentCaptured"),
                Duration.ZERO);
    }

    @Test
    void withoutAStoreAReplayRepeats() {
        PoisonNode node = new PoisonNode(timeline -> null);
        node.handler = (payload, context) -> {
            throw new IllegalStateException("no gateway");
        };
        node.order("o-1");
        node.handler = (payload, context) -> {};

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.REPEATS);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(node.handled).containsExactly("o-1", "o-1");
        assertThat(node.copies()).isEmpty();
    }

    @Test
    void aSilentStoreLeavesEverythingWhereItIs() {
        UnreachableStore store = new UnreachableStore();
        PoisonNode node = new PoisonNode(store::over);
        node.setAside(set(node, Situation.POISONED, "o-1"));
        store.silent = true;

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.UNKNOWN);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        assertThat(node.discard(PoisonNode.everything()).moved()).isZero();

        assertThat(node.copies()).hasSize(1);
        assertThat(node.handled).isEmpty();
    }

    private static PoisonRequest leftovers() {
        return PoisonRequest.of(PoisonFilter.all().withVerdict(Verdict.DONE), "tester", "nobody needs them");
    }

    @Test
    void whatNobodyNeedsIsSelectedByItsVerdict() {
        PoisonNode node = withStore();
        node.poisonOrders(3);
        node.send(node.copies().get(1), new Route.ToQueue(PoisonNode.QUEUE)); // by hand, so the copy is left
        PoisonFilter done = PoisonFilter.all().withVerdict(Verdict.DONE);

        assertThat(node.poison().list(done).messages())
                .extracting(PoisonedMessage::messageId)
                .containsExactly("o-1");
        assertThat(node.discard(leftovers().asDryRun()).moved()).isEqualTo(1);
        assertThat(node.copies()).hasSize(3);
        PoisonOperation.Progress discarded = node.discard(leftovers());

        assertThat(discarded.matched()).isEqualTo(1);
        assertThat(discarded.scanned()).isEqualTo(3);
        assertThat(discarded.verdicts()).isEqualTo(Map.of(Verdict.DONE, 1));
        assertThat(node.archive()).extracting(WireMessage::messageId).containsExactly("o-1");
        assertThat(node.copies()).extracting(WireMessage::messageId).containsExactly("o-0", "o-2");
        assertThat(node.replay(leftovers()).matched()).isZero();
        assertThat(node.handled).containsExactly("o-1");
    }

    /** It may be one of those that are meant, so it is not left out in silence. */
    @Test
    void whatCannotBeJudgedIsToldButNotMoved() {
        UnreachableStore store = new UnreachableStore();
        PoisonNode node = new PoisonNode(store::over);
        node.setAside(set(node, Situation.DISPATCHED, "o-1"));
        store.silent = true;

        assertThat(node.poison().list(leftovers().filter()).messages())
                .extracting(PoisonedMessage::verdict)
                .containsExactly(Verdict.UNKNOWN);
        PoisonOperation.Progress discarded = node.discard(leftovers());
        assertThat(discarded.verdicts()).isEqualTo(Map.of(Verdict.UNKNOWN, 1));
        assertThat(discarded.moved()).isZero();
        store.silent = false;
        assertThat(node.discard(leftovers()).moved()).isEqualTo(1);
        store.silent = true;
        assertThat(node.restore(leftovers()).moved()).isZero();
        assertThat(node.archive()).hasSize(1);
    }

    @Test
    void allButWhatIsBeingHandledCanBeDiscarded() {
        for (Situation situation : Situation.values()) {
            PoisonNode node = withStore();
            node.setAside(set(node, situation, "o-1"));

            boolean moved = node.discard(PoisonNode.everything()).moved() == 1;

            assertThat(moved).as(situation.name()).isEqualTo(situation != Situation.CLAIMED);
            assertThat(node.archive()).as(situation.name()).hasSize(moved ? 1 : 0);
            assertThat(node.copies()).as(situation.name()).hasSize(moved ? 0 : 1);
            node.stop();
        }
    }

    @Test
    void onlyAForcedReplayHandlesWhatIsTooOld() {
        PoisonNode node = withStore();
        node.setAside(set(node, Situation.TOO_OLD, "o-1"));

        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        assertThat(node.handled).isEmpty();
        assertThat(node.replay(PoisonNode.everything().withForce()).moved()).isEqualTo(1);

        assertThat(node.handled).containsExactly("o-1");
        assertThat(node.copies()).isEmpty();
    }

    /** Its record knows what was done, so its age does not matter. */
    @Test
    void whatIsOldAndStoredIsHandled() {
        PoisonNode node = withStore();
        node.setAside(set(node, Situation.POISONED_LONG_AGO, "o-1"));

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.RUN);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(node.handled).containsExactly("o-1");
        assertThat(node.copies()).isEmpty();
    }

    /** Steps may be kept apart from it, and no longer than those of any other message. */
    @Test
    void whatIsOldAndNotRecordedAsSetAsideIsTooOld() {
        PoisonNode node = withStore();
        node.setAside(set(node, Situation.RELEASED_LONG_AGO, "o-1"));

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();

        assertThat(node.handled).isEmpty();
    }

    @Test
    void filtersByWhatTheCopiesHaveInCommon() {
        PoisonNode node = withStore();
        node.setAside(set(node, Situation.POISONED, "o-1"));
        node.setAside(set(node, Situation.POISONED, "o-2"));

        assertThat(node.poison().list(PoisonFilter.all().withMessageId("o-2")).messages())
                .extracting(PoisonedMessage::messageId)
                .containsExactly("o-2");
        assertThat(node.poison().list(PoisonFilter.all().withType("Other")).messages())
                .isEmpty();
    }

    /** Each question may wait for as long as the time limit is. */
    @Test
    void aSilentStoreIsAskedOncePerLook() {
        UnreachableStore store = new UnreachableStore();
        PoisonNode node = new PoisonNode(store::over);
        node.setAside(set(node, Situation.POISONED, "o-1"));
        node.setAside(set(node, Situation.POISONED, "o-2"));
        node.setAside(set(node, Situation.POISONED, "o-3"));
        store.silent = true;

        assertThat(node.list())
                .extracting(PoisonedMessage::verdict)
                .containsExactly(Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.UNKNOWN);
        assertThat(store.refused).isEqualTo(1);
        assertThat(node.replay(PoisonNode.everything()).verdicts()).containsExactly(Map.entry(Verdict.UNKNOWN, 3));
        assertThat(store.refused).isEqualTo(2);

        store.silent = false;
        assertThat(node.list())
                .extracting(PoisonedMessage::verdict)
                .containsExactly(Verdict.RUN, Verdict.RUN, Verdict.RUN);
    }

    /** Half a second before the sixth of thirty copies, one in a second, the store is away for three seconds and a half. */
    @Test
    void aShortOutageOfTheStoreCostsOnlyTheCopiesJudgedMeanwhile() {
        UnreachableStore store = new UnreachableStore();
        PoisonNode node = new PoisonNode(store::over);
        node.poisonOrders(30);
        node.timeline.schedule(Duration.ofMillis(4_500), () -> store.silent = true);
        node.timeline.schedule(Duration.ofSeconds(8), () -> store.silent = false);

        PoisonOperation.Progress progress = node.replay(PoisonNode.everything().atRate(1));

        assertThat(progress.verdicts()).containsOnly(Map.entry(Verdict.RUN, 20), Map.entry(Verdict.UNKNOWN, 10));
        assertThat(progress.moved()).isEqualTo(20);
        assertThat(store.refused).as("times that it was waited for").isEqualTo(1);
        assertThat(node.copies()).hasSize(10);
    }

    /** Of a time when nothing can be read. */
    private static final class UnreachableStore {
        boolean silent;
        int refused;

        MessageStore over(VirtualTimeline timeline) {
            return new ForwardingMessageStore(new MemoryMessageStore(timeline, PoisonNode.RETENTION)) {
                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    if (silent) {
                        refused++;
                        throw new StoreUnavailableException("no answer", null, null);
                    }
                    return super.find(key);
                }
            };
        }
    }
}
