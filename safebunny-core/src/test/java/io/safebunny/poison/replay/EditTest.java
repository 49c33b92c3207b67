// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.NackedException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.EditFailedException;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A message that fails for the sake of its body: an order of 4,200 cents, which nobody delivers; of 5 it is delivered. */
class EditTest {

    private static final int ORDERS = Integer.getInteger("safebunny.edits", 1_000);
    private static final String BODY = "{\"orderId\":\"%s\",\"total\":%d}";

    private final List<String> charges = new ArrayList<>();
    private final List<String> delivered = new ArrayList<>();

    private PoisonNode node = withStore();

    private PoisonNode withStore() {
        return handling(new PoisonNode(timeline -> new MemoryMessageStore(timeline, PoisonNode.RETENTION)));
    }

    private PoisonNode handling(PoisonNode other) {
        other.handler = (payload, context) -> {
            OrderPlaced order = (OrderPlaced) payload;
            context.once("charge", () -> charges.add(context.messageId()));
            if (order.total() > 100) {
                throw new IllegalStateException("too expensive");
            }
            delivered.add(context.messageId() + ":" + order.total());
        };
        return other;
    }

    private static byte[] body(String id, int total) {
        return BODY.formatted(id, total).getBytes(StandardCharsets.UTF_8);
    }

    private static WireMessage original(String id) {
        return Wires.orderPlaced()
                .with("message_id", id)
                .withBody(BODY.formatted(id, 4_200))
                .wire();
    }

    /** @return its copy in the poison queue */
    private WireMessage setAside(String id) {
        node.send(original(id), new Route.ToQueue(PoisonNode.QUEUE));
        return node.copies().get(node.copies().size() - 1);
    }

    private static String digest(WireMessage copy) {
        return String.valueOf(copy.headers().get(Headers.POISON_DIGEST));
    }

    private static PoisonEdit edit(WireMessage copy, byte[] body) {
        return new PoisonEdit(
                Objects.requireNonNull(copy.messageId()), digest(copy), body, "tester", "the total was in euros");
    }

    private PoisonOperation edited(WireMessage copy, int total) {
        return node.poison().edit(edit(copy, body(Objects.requireNonNull(copy.messageId()), total)));
    }

    private static WireMessage withEncoding(WireMessage wire, String encoding) {
        return new WireMessage(
                wire.messageId(),
                wire.correlationId(),
                wire.type(),
                wire.appId(),
                wire.timestamp(),
                wire.contentType(),
                encoding,
                wire.priority(),
                wire.headers(),
                wire.body());
    }

    private void byHand(WireMessage message) {
        node.send(message, new Route.ToQueue(PoisonNode.QUEUE));
    }

    private List<Verdict> verdicts() {
        return node.list().stream().map(PoisonedMessage::verdict).toList();
    }

    // ---- what it does

    @Test
    void theFailuresOfTheUneditedBodyAreStillTold() {
        WireMessage before = setAside("o-1");
        PoisonOperation unused = edited(before, 4_100);
        node.settle();
        assertThat(failures()).containsExactly("too expensive");
        PoisonOperation.Progress replay = node.replay(PoisonNode.everything());

        assertThat(replay.moved()).isEqualTo(1);
        assertThat(failures()).containsExactly("too expensive", "too expensive");
    }

    private List<@Nullable String> failures() {
        return Objects.requireNonNull(node.poison().find("o-1").get(0).record()).failures().stream()
                .map(PoisonCopy.Failure::text)
                .toList();
    }

    @Test
    void theEditedCopyTakesThePlaceOfTheOther() {
        WireMessage before = setAside("o-1");

        PoisonOperation operation = edited(before, 5);

        assertThat(operation.progress().state()).isEqualTo(PoisonOperation.RunState.ENDED);
        assertThat(operation.kind()).isEqualTo(PoisonOperation.Kind.EDIT);
        assertThat(node.poison().operations()).containsExactly(operation);
        node.settle();
        assertThat(node.events).last().isInstanceOfSatisfying(SafeBunnyEvent.MessageMoved.class, event -> {
            assertThat(event.operation()).isEqualTo(operation.id());
            assertThat(event.kind()).isEqualTo("EDIT");
            assertThat(event.to()).isEqualTo("billing-poison");
            assertThat(event.messageId()).isEqualTo("o-1");
        });
        assertThat(node.copies()).singleElement().satisfies(copy -> {
            assertThat(copy.body()).isEqualTo(body("o-1", 5));
            assertThat(copy.correlationId()).isEqualTo(before.correlationId());
            assertThat(copy.type()).isEqualTo(before.type());
            assertThat(copy.timestamp()).isEqualTo(before.timestamp());
            Map<String, Object> headers = new LinkedHashMap<>(before.headers());
            headers.merge(Headers.POISON_VERSION, 1L, (version, one) -> (long) version + 1);
            headers.put(Headers.POISON_DIGEST, digest(copy));
            assertThat(copy.headers()).isEqualTo(headers);
            assertThat(digest(copy)).hasSize(64).isNotEqualTo(digest(before));
        });
        assertThat(verdicts()).containsExactly(Verdict.RUN);
    }

    @Test
    void aReplayHandlesTheNewBodyAndRepeatsNoStep() {
        edited(setAside("o-1"), 5);

        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(charges).containsExactly("o-1");
        assertThat(delivered).containsExactly("o-1:5");
        assertThat(node.copies()).isEmpty();
    }

    @Test
    void anEditedCopyThatComesBackKeepsItsDigestAndCanBeEditedAgain() {
        edited(setAside("o-1"), 4_000);
        String digest = digest(node.copies().get(0));

        node.replay(PoisonNode.everything());

        assertThat(node.copies()).singleElement().satisfies(copy -> {
            assertThat(digest(copy)).isEqualTo(digest);
            edited(copy, 5);
        });
        node.replay(PoisonNode.everything());
        assertThat(delivered).containsExactly("o-1:5");
        assertThat(charges).containsExactly("o-1");
    }

    @Test
    void mendsABodyThatCouldNotBeRead() {
        byHand(Wires.orderPlaced().with("message_id", "o-1").withBody("{").wire());
        assertThat(verdicts()).containsExactly(Verdict.REFUSED);

        edited(node.copies().get(0), 5);
        node.replay(PoisonNode.everything());

        assertThat(delivered).containsExactly("o-1:5");
        assertThat(node.copies()).isEmpty();
    }

    @Test
    void theNewBodyIsPlain() {
        byHand(withEncoding(original("o-1"), "identity"));

        edited(node.copies().get(0), 5);

        assertThat(node.copies()).singleElement().satisfies(copy -> assertThat(copy.contentEncoding())
                .isNull());
    }

    @Test
    void editsTheCopyThatAReplayWouldMove() {
        WireMessage older = setAside("o-1");
        node.replay(PoisonNode.everything()); // it comes back
        WireMessage newer = node.copies().get(0);
        node.takeAll();
        node.setAside(older);
        node.setAside(newer);
        assertThat(digest(older)).isEqualTo(digest(newer));

        edited(older, 5);

        assertThat(verdicts()).containsExactly(Verdict.SUPERSEDED, Verdict.RUN);
    }

    @Test
    void whereNothingIsStoredTheUneditedMessageIsNotHandledEither() {
        WireMessage copy = Wires.orderPlaced()
                .with("message_id", "o-1")
                .withBody(BODY.formatted("o-1", 7))
                .withHeader(Headers.POISON_REASON, "handler-failed")
                .withHeader(Headers.POISON_QUEUE, PoisonNode.QUEUE)
                .withHeader(Headers.POISON_DIGEST, "of-7")
                .withHeader(Headers.POISONED_AT, node.timeline.now().toEpochMilli())
                .wire();
        node.setAside(copy);
        node.setAside(copy);

        edited(copy, 5);

        assertThat(verdicts()).containsExactly(Verdict.CLASH, Verdict.RUN);
        node.replay(PoisonNode.everything());
        byHand(copy);
        assertThat(delivered).containsExactly("o-1:5");
    }

    @Test
    void withoutAStoreTheCopyIsReplaced() {
        node = handling(new PoisonNode(timeline -> null));
        edited(setAside("o-1"), 5);

        assertThat(verdicts()).containsExactly(Verdict.REPEATS);
        node.replay(PoisonNode.everything());

        assertThat(delivered).containsExactly("o-1:5");
        assertThat(node.copies()).isEmpty();
    }

    // ---- what it refuses

    private void assertRefused(PoisonEdit edit, String... words) {
        List<WireMessage> before = node.copies();
        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> node.poison().edit(edit))
                .withMessageContaining("SB-5014")
                .withMessageContainingAll(words);
        assertThat(node.copies()).isEqualTo(before);
        assertThat(node.poison().operations().get(0).progress().state()).isEqualTo(PoisonOperation.RunState.FAILED);
    }

    @Test
    void refusesABodyThatItsQueueWouldNotTake() {
        WireMessage copy = setAside("o-1");

        assertRefused(edit(copy, "{".getBytes(StandardCharsets.UTF_8)), "malformed-body", ". Nothing was moved.");
        assertRefused(edit(copy, new byte[20_000_000]), "too-large", "safebunny.max-message-size");
        assertThat(verdicts()).containsExactly(Verdict.RUN);
    }

    @Test
    void refusesWhatAReplayWouldNotHandle() {
        WireMessage copy = setAside("o-1");
        edited(copy, 5);
        node.replay(PoisonNode.everything());
        node.setAside(copy);

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> node.poison().edit(edit(copy, body("o-1", 6))))
                .withMessageContainingAll("SB-5016", "it was edited since");
        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> node.poison().edit(new PoisonEdit("o-2", "none", body("o-1", 6), "tester", "why")))
                .withMessageContainingAll("SB-5017", "no such copy", "o-2");
    }

    @Test
    void saysThatAHandledMessageWasFaster() {
        WireMessage copy = setAside("o-1");
        node.handler = (payload, context) -> {};
        byHand(PoisonReader.replayed(copy));

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> edited(copy, 5))
                .withMessageContainingAll("SB-5016", "handled meanwhile");
    }

    @Test
    void refusesABodyThatTheBrokerDoesNotTake() {
        WireMessage copy = setAside("o-1");
        node.refusal = message -> NackedException.tooLarge(message.publication(), "16 MiB");

        assertRefused(edit(copy, body("o-1", 5)), "larger than the broker takes");
        assertThat(verdicts()).containsExactly(Verdict.RUN);
    }

    @Test
    void tellsAQueueThatIsFullFromABodyThatIsTooLarge() {
        WireMessage copy = setAside("o-1");
        node.refusal = message -> new NackedException(message.publication(), "queue full");

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> edited(copy, 5))
                .withMessageContaining("SB-2002");
    }

    @Test
    void quotesAnIdInOneLine() {
        String forged = "o-1\n12:00:00 ERROR forged";
        WireMessage copy = Wires.orderPlaced()
                .with("message_id", forged)
                .withHeader(Headers.POISON_REASON, "missing-property")
                .withHeader(Headers.POISON_QUEUE, PoisonNode.QUEUE)
                .withHeader(Headers.POISON_DIGEST, "of-it")
                .withHeader(Headers.POISONED_AT, node.timeline.now().toEpochMilli())
                .wire();
        node.setAside(copy);

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> node.poison().edit(new PoisonEdit(forged, "of-it", body("o-1", 5), "tester", "why")))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n").contains("o-1?12:00:00 ERROR forged"));
    }

    @Test
    void refusesRequestsWithoutAReason() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new PoisonEdit("o-1", "d", new byte[0], "tester", " "))
                .withMessageContainingAll("SB-5014", "reason");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new PoisonEdit("o-1", " ", new byte[0], "tester", "why"))
                .withMessageContainingAll("SB-5014", "digest");
        assertThat(new PoisonEdit("o-1", "d", body("secret", 5), "tester", "why").toString())
                .doesNotContain("secret");
    }

    // ---- the unedited message

    @Test
    void anUneditedCopyIsSetAsideAsBeforeWhetherTheEditedOneWasHandledOrNot() {
        WireMessage unedited = setAside("o-1");
        edited(unedited, 5);

        byHand(unedited);
        assertThat(node.list())
                .extracting(PoisonedMessage::verdict, PoisonedMessage::reason)
                .containsExactly(tuple(Verdict.RUN, "handler-failed"), tuple(Verdict.SUPERSEDED, "set-aside-before"));

        node.replay(PoisonNode.everything());
        byHand(unedited);
        assertThat(node.list()).hasSize(2).allSatisfy(copy -> {
            assertThat(copy.verdict()).isEqualTo(Verdict.SUPERSEDED);
            assertThat(copy.reason()).isEqualTo("set-aside-before");
            assertThat(copy.exceptionMessage()).contains("edited");
        });
        assertThat(delivered).containsExactly("o-1:5");
    }

    private enum Action {
        UNEDITED_REPLAYED,
        EDITED_REPLAYED,
        DUPLICATE_OF_EDITED,
        UNEDITED_SENT_BY_HAND
    }

    @Test
    void inAnyOrderOnlyTheEditedBodyTakesEffect() {
        Random random = new Random(11);
        for (int i = 0; i < ORDERS; i++) {
            String id = "order-" + i;
            WireMessage unedited = setAside(id);
            if (random.nextBoolean()) {
                node.setAside(unedited); // a second copy of it
            }
            edited(unedited, 5);
            WireMessage edited = node.copies().get(node.copies().size() - 1);
            List<Action> order = new ArrayList<>();
            for (int actions = 2 + random.nextInt(6); actions > 0; actions--) {
                Action action = Action.values()[random.nextInt(4)];
                order.add(action);
                perform(action, unedited, edited, id);
            }
            node.replay(PoisonNode.everything());

            assertThat(delivered).as("%s %s", id, order).containsExactly(id + ":5");
            assertThat(charges).as("%s %s", id, order).containsExactly(id);
            assertThat(verdicts()).as("%s %s", id, order).doesNotContain(Verdict.RUN, Verdict.RESEND);
            node.takeAll();
            charges.clear();
            delivered.clear();
        }
    }

    private void perform(Action action, WireMessage unedited, WireMessage edited, String id) {
        switch (action) {
            case UNEDITED_REPLAYED -> byHand(PoisonReader.replayed(unedited));
            case EDITED_REPLAYED -> node.replay(PoisonNode.everything());
            case DUPLICATE_OF_EDITED -> byHand(PoisonReader.replayed(edited));
            case UNEDITED_SENT_BY_HAND -> byHand(original(id)); // as its sender did, without a word of poison
        }
    }

    // ---- crashes and races

    /** The process ends before or after the record is written; neither an exception nor a lost answer. */
    private static final class ProcessEnded extends Error {}

    /** Of the write of an edit, which is the only joint one here. */
    private static final class EditedStore extends ForwardingMessageStore {

        Runnable before = () -> {};
        Runnable after = () -> {};

        EditedStore(MessageStore store) {
            super(store);
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            before.run();
            JointWrite written = super.writeTogether(records);
            after.run();
            return written;
        }
    }

    private @Nullable EditedStore store;

    private EditedStore nodeWithEditedStore() {
        node = handling(new PoisonNode(timeline -> {
            store = new EditedStore(new MemoryMessageStore(timeline, PoisonNode.RETENTION));
            return store;
        }));
        return Objects.requireNonNull(store);
    }

    private static void end() {
        throw new ProcessEnded();
    }

    @Test
    void aProcessThatEndsBeforeTheRecordIsWrittenLeavesTheCopyAsItWas() {
        nodeWithEditedStore().before = EditTest::end;
        WireMessage unedited = setAside("o-1");

        assertThatExceptionOfType(ProcessEnded.class).isThrownBy(() -> edited(unedited, 5));

        assertThat(verdicts()).containsExactly(Verdict.RUN, Verdict.CLASH);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);
        assertThat(delivered).isEmpty(); // the unedited one, which came back
        assertThat(charges).containsExactly("o-1");
    }

    @Test
    void anEditThatWasInterruptedCanBeRepeated() {
        EditedStore interrupted = nodeWithEditedStore();
        interrupted.before = EditTest::end;
        WireMessage unedited = setAside("o-1");
        assertThatExceptionOfType(ProcessEnded.class).isThrownBy(() -> edited(unedited, 7));
        interrupted.before = () -> {};

        edited(unedited, 5);

        assertThat(verdicts()).containsExactly(Verdict.CLASH, Verdict.RUN);
        node.replay(PoisonNode.everything());
        assertThat(delivered).containsExactly("o-1:5");
        assertThat(charges).containsExactly("o-1");
    }

    @Test
    void aProcessThatEndsBeforeTheCopyIsRemovedLeavesItSuperseded() {
        nodeWithEditedStore().after = EditTest::end;
        WireMessage unedited = setAside("o-1");

        assertThatExceptionOfType(ProcessEnded.class).isThrownBy(() -> edited(unedited, 5));

        assertThat(verdicts()).containsExactly(Verdict.SUPERSEDED, Verdict.RUN);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);
        assertThat(delivered).containsExactly("o-1:5");
        assertThat(charges).containsExactly("o-1");
    }

    @Test
    void aLostAnswerOfTheStoreIsLookedUp() {
        boolean[] lost = {false};
        nodeWithEditedStore().after = () -> {
            if (!lost[0]) {
                lost[0] = true;
                throw new StoreUnavailableException("the answer got lost", null, null);
            }
        };

        assertThat(edited(setAside("o-1"), 5).progress().moved()).isEqualTo(1);

        assertThat(lost[0]).isTrue();
        assertThat(verdicts()).containsExactly(Verdict.RUN);
    }

    @Test
    void aCopyThatIsPerhapsNotRemovedIsSuperseded() {
        node.losesRemovals = true;

        PoisonOperation operation = edited(setAside("o-1"), 5);

        assertThat(operation.progress().moved()).isEqualTo(1);
        node.losesRemovals = false;
        assertThat(verdicts()).containsExactlyInAnyOrder(Verdict.SUPERSEDED, Verdict.RUN);
        node.replay(PoisonNode.everything());
        assertThat(delivered).containsExactly("o-1:5");
    }

    /** Trying again would only make another copy. */
    @Test
    void withoutAStoreACopyThatIsPerhapsNotRemovedIsToldSo() {
        node = handling(new PoisonNode(timeline -> null));
        WireMessage copy = setAside("o-1");
        node.losesRemovals = true;

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> edited(copy, 5))
                .withMessageContainingAll("SB-5016", "discard one");
        node.settle();
        assertThat(node.events).noneMatch(SafeBunnyEvent.MessageMoved.class::isInstance);
    }

    /** Each has one of two copies of the message. */
    @Test
    void ofTwoOperatorsOneWins() {
        EditedStore race = nodeWithEditedStore();
        WireMessage copy = setAside("o-1");
        node.setAside(copy);
        boolean[] begun = {false};
        race.before = () -> {
            if (!begun[0]) {
                begun[0] = true;
                node.atAnotherInstance().edit(edit(copy, body("o-1", 6)));
            }
        };

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> edited(copy, 5))
                .withMessageContainingAll("SB-5016", "not applied");

        node.replay(PoisonNode.everything());
        assertThat(delivered).containsExactly("o-1:6");
        assertThat(charges).containsExactly("o-1");
        assertThat(verdicts()).containsExactly(Verdict.SUPERSEDED, Verdict.SUPERSEDED);
    }

    /** On the only copy. */
    @Test
    void ofTwoOperatorsTheSecondFindsNothing() {
        EditedStore race = nodeWithEditedStore();
        WireMessage copy = setAside("o-1");
        boolean[] begun = {false};
        race.before = () -> {
            if (!begun[0]) {
                begun[0] = true;
                assertThatExceptionOfType(EditFailedException.class)
                        .isThrownBy(() -> node.atAnotherInstance().edit(edit(copy, body("o-1", 6))))
                        .withMessageContaining("no such copy");
            }
        };

        edited(copy, 5);

        assertThat(begun[0]).isTrue();
        assertThat(verdicts()).containsExactly(Verdict.RUN);
    }

    /** A replay by hand of a second copy, which is handled between the edited copy and its record. */
    @Test
    void aReplayThatIsFasterWins() {
        EditedStore race = nodeWithEditedStore();
        WireMessage copy = setAside("o-1");
        race.before = () -> byHand(PoisonReader.replayed(copy));

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> edited(copy, 5))
                .withMessageContaining("not applied");

        assertThat(charges).containsExactly("o-1");
        assertThat(delivered).isEmpty();
        assertThat(verdicts()).containsExactlyInAnyOrder(Verdict.SUPERSEDED, Verdict.SUPERSEDED, Verdict.RUN);
    }
}
