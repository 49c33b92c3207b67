// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.consuming.Participant.STEP;
import static io.safebunny.consuming.Participant.UNDO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.Published;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.fixture.UnreliableStore.Fault;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.transport.OutboundMessage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the record of a message tells of its failures: each once, whatever happens between one write and the next. */
class RememberedFailuresTest {

    private static final RecordKey KEY = new RecordKey(Wires.CORRELATION_ID, Wires.ID);

    private static final RecoveryPolicy TWO_ATTEMPTS =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(10)));

    private final MemoryMessageStore memory = new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION);

    /** Fails in its first runs, each time with the number of the run. */
    private static Node failing(Node node, int runs) {
        node.handler = (payload, context) -> {
            if (node.runs.get() <= runs) {
                throw new IOException("run " + node.runs);
            }
        };
        return node;
    }

    private static MessageRecord stored(MessageStore store) {
        return Objects.requireNonNull(store.find(KEY));
    }

    private static List<@Nullable String> told(MessageStore store) {
        return stored(store).trail().failures().stream()
                .map(Trail.Failure::text)
                .toList();
    }

    // ---- what it tells

    @Test
    void eachRunTheLatestFiveWithWhenTheNextOneIsDue() {
        Node node = new Node(memory, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            node.timeline.advance(Duration.ofMillis(7));
            throw new IOException("no answer from the bank\nConnection: ...");
        };
        node.deliver();

        Instant first = VirtualTimeline.START.plusMillis(7);
        assertThat(stored(memory).trail().type()).isEqualTo("OrderPlaced");
        assertThat(stored(memory).trail().failures())
                .extracting(Trail.Failure::at, Trail.Failure::nextAt)
                .containsExactly(
                        tuple(first, first.plusMillis(100)),
                        tuple(first.plusMillis(107), first.plusMillis(207)),
                        tuple(first.plusMillis(214), first.plusMillis(10_214)));
        assertThat(stored(memory).trail().failures()).allSatisfy(failure -> {
            assertThat(failure.millis()).isEqualTo(7);
            assertThat(failure.exception()).isEqualTo("java.io.IOException");
            assertThat(failure.text()).isEqualTo("no answer from the bank");
        });

        node.deliver(node.transport.returned().get(0));

        assertThat(stored(memory).state()).isEqualTo(RecordState.POISONED);
        assertThat(stored(memory).trail().failures())
                .hasSize(5)
                .extracting(Trail.Failure::at)
                .startsWith(first.plusMillis(107));
        assertThat(stored(memory).trail().failures().get(4).nextAt())
                .as("there is no next one")
                .isNull();
    }

    @Test
    void alsoOfAMessageThatThenSucceedsAndWithoutAWriteMore() {
        UnreliableStore store = new UnreliableStore(memory);
        failing(new Node(store, Node.SIX_ATTEMPTS), 2).deliver();

        assertThat(store.written())
                .extracting(MessageRecord::state)
                .containsExactly(RecordState.CLAIMED, RecordState.DISPATCHED);
        assertThat(told(store)).containsExactly("run 1", "run 2");
    }

    @Test
    void nothingButTheTypeOfOneThatSucceedsAtOnceOrIsNotToBlame() {
        new Node(memory, Node.SIX_ATTEMPTS).deliver();
        assertThat(stored(memory).trail()).isEqualTo(Trail.of("OrderPlaced"));

        MemoryMessageStore another = new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION);
        new Node(another, Node.SIX_ATTEMPTS)
                .failing(new ThrottledException(Duration.ofSeconds(1)))
                .deliver();
        assertThat(stored(another).state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored(another).trail()).isEqualTo(Trail.of("OrderPlaced"));
    }

    @Test
    void noTextIfNoneMayBeShown() {
        Node node = new Node(memory, ExceptionDetails.TYPE_ONLY, TWO_ATTEMPTS).failing(new IOException("card 4111"));
        node.deliver();

        assertThat(stored(memory).trail().failures()).singleElement().satisfies(failure -> {
            assertThat(failure.exception()).isEqualTo("java.io.IOException");
            assertThat(failure.text()).isNull();
        });
    }

    /** Set after it was found that texts quote what they must not: what is stored is not shown any more, nor written again. */
    @Test
    void noTextEitherThatWasStoredBeforeNoneMayBeShown() {
        Node before = new Node(memory, Node.SIX_ATTEMPTS).failing(new IOException("card 4111"));
        before.deliver(Wires.orderPlaced().with("message_id", "another")); // two nodes draw the same names of claims
        before.deliver();
        assertThat(told(memory)).hasSize(3).containsOnly("card 4111");
        new Node(memory, ExceptionDetails.TYPE_ONLY, TWO_ATTEMPTS)
                .failing(new IOException("card 4112"))
                .deliver(before.transport.returned().get(1));

        assertThat(told(memory)).hasSize(4).containsOnlyNulls();
        assertThat(stored(memory).trail().failures())
                .extracting(Trail.Failure::exception)
                .containsOnly("java.io.IOException");
    }

    // ---- middlewares

    @Test
    void eachRunThatAMiddlewareRepeats() {
        ConsumeMiddleware repeating = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                next.run();
            }
        };
        failing(new Node(memory, TWO_ATTEMPTS, repeating), 1).deliver();

        assertThat(stored(memory).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(told(memory)).containsExactly("run 1");
    }

    @Test
    void alsoTheLastRunThatAMiddlewareHides() {
        ConsumeMiddleware hiding = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                assertThat(e).hasMessage("run 3");
            }
        };
        failing(new Node(memory, Node.SIX_ATTEMPTS, hiding), 9).deliver();

        assertThat(stored(memory).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(told(memory)).containsExactly("run 1", "run 2", "run 3");
    }

    /** There was one attempt, and it ended with this. */
    @Test
    void onceWhatAMiddlewareMakesOfAFailure() {
        ConsumeMiddleware translating = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                throw new PoisonMessageException("hopeless", e);
            }
        };
        failing(new Node(memory, TWO_ATTEMPTS, translating), 1).deliver();

        assertThat(stored(memory).state()).isEqualTo(RecordState.POISONED);
        assertThat(told(memory)).containsExactly("SB-3001 hopeless");
    }

    /** The attempt is not counted, as the message is delivered again whatever becomes of this one. */
    @Test
    void notThoseOfALostDelivery() {
        Node node = new Node(memory, TWO_ATTEMPTS);
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        node.handler = (payload, context) -> {
            delivery.closed();
            throw new IOException("run " + node.runs);
        };
        node.deliver(delivery);

        assertThat(stored(memory).attempt()).isZero();
        assertThat(told(memory)).isEmpty();
    }

    @Test
    void howLongEachRunTookThatAMiddlewareRepeats() {
        ConsumeMiddleware repeating = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                next.run();
            }
        };
        Node node = new Node(memory, TWO_ATTEMPTS, repeating);
        node.handler = (payload, context) -> {
            node.timeline.advance(Duration.ofMillis(7));
            throw new IOException("failed");
        };
        node.deliver();

        assertThat(stored(memory).trail().failures())
                .extracting(Trail.Failure::millis)
                .containsExactly(7L, 7L);
    }

    // ---- answers that get lost

    @Test
    void aReleaseWithoutAnAnswerOnce() {
        UnreliableStore store = new UnreliableStore(memory);
        Node node = failing(new Node(store, TWO_ATTEMPTS), 2);
        store.nextWrites(Fault.NONE, Fault.LOST_ANSWER);
        node.deliver();
        assertThat(told(store)).containsExactly("run 1");

        node.deliver(node.transport.returned().get(0));
        assertThat(told(store)).containsExactly("run 1", "run 2");
        assertThat(stored(store).state()).isEqualTo(RecordState.POISONED);
    }

    /** Each try applies its change anew, until one finds that an earlier one has written it. */
    @Test
    void aCompletionThatIsRepeatedOnce() {
        UnreliableStore store = new UnreliableStore(memory);
        store.nextWrites(Fault.NONE, Fault.LOST_ANSWER, Fault.LOST_ANSWER);
        failing(new Node(store, Node.SIX_ATTEMPTS), 1).deliver();

        assertThat(stored(store).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(told(store)).containsExactly("run 1");
    }

    /** The step finds out that its result is written; the release builds upon that. */
    @Test
    void aReleaseAfterAStepWhoseAnswersGotLostOnce() {
        UnreliableStore store = new UnreliableStore(memory);
        Node node = new Node(store, TWO_ATTEMPTS);
        node.handler = (payload, context) -> {
            context.once("charge", () -> {});
            throw new IOException("run " + node.runs);
        };
        store.nextWrites(Fault.NONE, Fault.LOST_ANSWER, Fault.LOST_ANSWER, Fault.LOST_ANSWER);
        node.deliver();

        assertThat(told(store)).containsExactly("run 1");
        assertThat(stored(store).steps()).containsOnlyKeys("charge");
        node.deliver(node.transport.returned().get(0));
        assertThat(told(store)).containsExactly("run 1", "run 2");
        assertThat(stored(store).steps()).containsOnlyKeys("charge");
    }

    // ---- the record is part of the handler's transaction

    @Test
    void ofRollbacksInTheOneWriteOfTheSuccess() {
        SharingStore store = new SharingStore();
        failing(new Node(store, Node.SIX_ATTEMPTS), 2).deliver();

        assertThat(stored(store).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(store).version()).as("written once").isEqualTo(1);
        assertThat(store.commits).isEqualTo(1);
        assertThat(told(store)).containsExactly("run 1", "run 2");
    }

    @Test
    void ofRollbacksInTheWriteThatFollowsTheLast() {
        SharingStore store = new SharingStore();
        Node node = failing(new Node(store, Node.SIX_ATTEMPTS), 4);
        node.deliver();
        assertThat(told(store)).containsExactly("run 1", "run 2", "run 3");
        assertThat(stored(store).version()).isEqualTo(1);

        node.deliver(node.transport.returned().get(0));
        assertThat(told(store)).containsExactly("run 1", "run 2", "run 3", "run 4");
        assertThat(stored(store).version()).as("written once more").isEqualTo(2);
    }

    /** Its claim, with the failure before, is then stored as if it were of another delivery. */
    @Test
    void eachOnceOfAHandlerThatCommitsByItself() {
        SharingStore store = new SharingStore();
        Node node = new Node(store, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            if (node.runs.get() == 2) {
                store.write();
            }
            throw new IOException("run " + node.runs);
        };
        node.deliver();

        assertThat(stored(store).state()).isEqualTo(RecordState.RELEASED);
        assertThat(told(store)).containsExactly("run 1", "run 2", "run 3");
    }

    /** What it committed is taken for that of another delivery, and tells of its first failure. */
    @Test
    void eachOnceOfAHandlerThatCommitsByItselfAndIsRunTwiceMore() {
        SharingStore store = new SharingStore();
        Node node =
                new Node(store, RecoveryPolicy.of(RetryStrategy.of(4, Duration.ofMillis(100)), RetryStrategy.none()));
        node.handler = (payload, context) -> {
            if (node.runs.get() == 2) {
                store.write();
            }
            throw new IOException("run " + node.runs);
        };
        node.deliver();

        assertThat(told(store)).containsExactly("run 1", "run 2", "run 3");
    }

    @Test
    void alsoWhenWhatItCommittedByItselfIsUndone() {
        SharingStore store = new SharingStore();
        Node node = new Node(store, Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            if (node.runs.get() == 2) {
                store.write();
                throw NotHandledException.later("interrupted", Duration.ofSeconds(1));
            }
            throw new IOException("run " + node.runs);
        };
        node.deliver();

        assertThat(stored(store).state()).isEqualTo(RecordState.RELEASED);
        assertThat(told(store)).containsExactly("run 1");
    }

    // ---- other deliveries of the message

    @Test
    void ofTheClaimThatIsTakenOver() {
        Trail.Failure before =
                new Trail.Failure(VirtualTimeline.START, "gone", 1, "java.io.IOException", "before", null);
        MessageRecord silent = memory.create(MessageRecord.claim(
                        KEY,
                        "gone",
                        Duration.ofSeconds(30),
                        1,
                        Fingerprint.of(Wires.orderPlaced().envelope()))
                .withTrail(Trail.of("OrderPlaced").with(List.of(before))));
        Node node = failing(new Node(memory, TWO_ATTEMPTS), 1);
        node.deliver();
        assertThat(node.runs).as("it may be handled just now").hasValue(0);
        node.timeline.advance(silent.lease());
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(told(memory)).containsExactly("before", "run 1");
    }

    /** Which carries what it does not know along as if it were a step. */
    @Test
    void ofARecordThatAnEarlierVersionHasWritten() {
        Node node = failing(new Node(memory, TWO_ATTEMPTS), 1);
        node.deliver();
        MessageRecord before = stored(memory);
        assertThat(memory.replace(new MessageRecord(
                        before.key(),
                        RecordState.RELEASED,
                        "earlier",
                        before.version() + 1,
                        0,
                        0,
                        before.lease(),
                        before.fingerprint(),
                        before.content(),
                        List.of(),
                        null,
                        null)))
                .isNotNull();
        failing(node, 2).deliver();
        assertThat(told(memory)).containsExactly("run 1", "run 2");
        node.deliver(node.transport.returned().get(1));

        assertThat(stored(memory).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(told(memory)).containsExactly("run 1", "run 2");
    }

    /** Its attempts begin anew, but what happened before is still of interest. */
    @Test
    void ofAMessageThatIsReplayed() {
        Node node = failing(new Node(memory, Node.ONE_ATTEMPT), 1);
        node.deliver();
        node.deliver(node.transport.poisoned().get(0));

        assertThat(stored(memory).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(memory).attempt()).isZero();
        assertThat(told(memory)).containsExactly("run 1");
    }

    @Test
    void ofAStepThatIsUndoneUnlessItWasNeverSeen() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        Participant node = new Participant(timeline, memory, TWO_ATTEMPTS);
        node.step = (payload, context) -> {
            throw new IOException("the step failed");
        };
        node.deliver(STEP);
        node.deliver(UNDO);
        assertThat(stored(memory).state()).isEqualTo(RecordState.UNDONE);
        assertThat(told(memory)).containsExactly("the step failed");

        MemoryMessageStore another = new MemoryMessageStore(timeline, Node.RETENTION);
        new Participant(timeline, another, TWO_ATTEMPTS).deliver(UNDO);
        assertThat(stored(another).state()).isEqualTo(RecordState.UNDONE);
        assertThat(stored(another).trail()).isEqualTo(Trail.NONE);
    }

    // ---- records that are too large

    /** A store in which a record has room for steps or for a trail. */
    private static final class Small extends ForwardingMessageStore {

        private static final int LIMIT = 60;

        Small(MessageStore store) {
            super(store);
        }

        private static void requireSmall(MessageRecord record) {
            int size = RecordJson.writeSteps(record.content()).length();
            if (size > LIMIT) {
                throw new RecordTooLargeException(record.key(), size, LIMIT);
            }
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            requireSmall(record);
            return super.replace(record);
        }
    }

    @Test
    void nothingWhereThereIsNoRoomAndTheMessageIsHandledAllTheSame() {
        Node node = failing(new Node(new Small(memory), TWO_ATTEMPTS), 1);
        node.deliver();
        assertThat(stored(memory).state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored(memory).attempt()).isEqualTo(1);
        assertThat(stored(memory).trail()).isEqualTo(Trail.NONE);

        node.deliver(node.transport.returned().get(0));
        assertThat(stored(memory).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    @Test
    void aStepThatIsTooLargeIsSetAsideAsBefore() {
        Node node = new Node(new Small(memory), TWO_ATTEMPTS);
        node.handler = RememberedFailuresTest::largeStep;
        node.deliver();

        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> assertThat(
                        poison.message().headers())
                .containsEntry("sb-poison-reason", "too-large"));
    }

    private static void largeStep(Object payload, MessageContext context) {
        String unused = context.once("charge", String.class, () -> "x".repeat(Small.LIMIT));
    }

    // ---- what was published

    /** Until the mark, which comes a moment after sending, its publications are in the record itself. */
    @Test
    void whatItPublishedOnceItIsSent() {
        Node node = new Node(memory, Node.ONE_ATTEMPT);
        node.handler = publishing(node);
        node.deliver();
        assertThat(stored(memory).state()).isEqualTo(RecordState.COMPLETED);
        assertThat(stored(memory).outgoing()).hasSize(2);
        assertThat(stored(memory).trail().published()).isEmpty();

        node.timeline.advance(Duration.ofMillis(20));
        assertThat(stored(memory).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(memory).trail().published())
                .extracting(Trail.Sent::id, Trail.Sent::type)
                .containsExactlyElementsOf(node.transport.published().stream()
                        .map(OutboundMessage::message)
                        .map(message -> tuple(message.messageId(), message.type()))
                        .toList());
    }

    @Test
    void whatOfThatTheBrokerHasTakenSoFar() {
        Node node = new Node(memory, Node.ONE_ATTEMPT);
        node.handler = publishing(node);
        node.transport.answerNext(RecordingTransport.CONFIRM, RecordingTransport.UNROUTABLE);
        node.deliver();

        assertThat(stored(memory).state()).isEqualTo(RecordState.COMPLETED);
        assertThat(stored(memory).outgoing()).hasSize(1);
        assertThat(stored(memory).trail().published())
                .extracting(Trail.Sent::id)
                .containsExactly(node.transport.published().get(0).message().messageId());
    }

    private static HandlerInvoker publishing(Node node) {
        return (payload, context) -> {
            for (int i = 0; i < 2; i++) {
                Published unused = node.bunny().publish(new PaymentCaptured("o-" + i));
            }
        };
    }

    /** It is told as due, although its copy is refused and it goes to the poison queue instead. */
    @Test
    void whatWasDecidedThoughTheBrokerRefusesTheCopy() {
        Node node = new Node(memory, TWO_ATTEMPTS).failing(new RetryLaterException(Duration.ofHours(2)));
        node.transport.answerNext(RecordingTransport.TOO_LARGE);
        node.deliver();

        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(stored(memory).state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored(memory).trail().failures())
                .extracting(Trail.Failure::nextAt)
                .containsExactly(VirtualTimeline.START.plus(Duration.ofHours(2)));
    }
}
