// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static io.safebunny.fixture.RecordingTransport.CONFIRM;
import static io.safebunny.fixture.RecordingTransport.LOSE_CONNECTION;
import static io.safebunny.fixture.RecordingTransport.NACK;
import static io.safebunny.fixture.RecordingTransport.SILENCE;
import static io.safebunny.fixture.RecordingTransport.TOO_LARGE;
import static io.safebunny.fixture.RecordingTransport.UNROUTABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.observation.DetailsByType;
import io.safebunny.operations.MovedCopies;
import io.safebunny.operations.NodeOperations;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.wanted.StepFates;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.time.Deadline;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of an operation when the broker does not do what it is asked for. */
class MovingTest {

    private static final CopyRule REPLAY =
            copy -> new OutboundMessage(copy.wire(), new Route.ToQueue(PoisonNode.QUEUE), Duration.ZERO);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final RecordingTransport transport = new RecordingTransport();
    private final List<SafeBunnyEvent> told = new ArrayList<>();
    private final List<RecordedDelivery> copies = new ArrayList<>();
    private final MovedCopies remembered = new MovedCopies();
    private Duration confirmTakes = Duration.ZERO;

    private RecordedDelivery copy(String id) {
        RecordedDelivery copy = new RecordedDelivery(
                "billing-poison", Wires.orderPlaced().with("message_id", id).wire());
        copies.add(copy);
        return copy;
    }

    private Progress moved(Kind kind, CopyRule rule) {
        TrackedOperation operation =
                new TrackedOperation(kind, PoisonNode.everything(), timeline, ExceptionDetails.FULL);
        Node moving = new Node(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), slow(), timeline)
                .callbacks(Runnable::run)
                .listeners(List.of(told::add))
                .build());
        Runnable run = new MoveRun(
                operation,
                rule,
                () -> new Taken(new ArrayDeque<>(copies)),
                new CopyMover(moving, remembered),
                new PoisonReader(
                        Map.of(),
                        null,
                        new ReplayAge(timeline, Duration.ofDays(7), Duration.ofDays(90)),
                        new StepFates(moving, new NodeOperations(moving, "billing-1", false).nodes(), List::of).pass(),
                        new DetailsByType(ExceptionDetails.FULL)));
        run.run();
        return operation.progress();
    }

    private Transport slow() {
        return new ForwardingTransport(transport) {
            @Override
            public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                CompletableFuture<Void> sent = super.send(message, deadline);
                timeline.advance(confirmTakes);
                return sent;
            }
        };
    }

    private record Taken(Deque<RecordedDelivery> copies) implements BrowsedQueue {
        @Override
        public long waiting() {
            return copies.size();
        }

        @Override
        public @Nullable Delivery next() {
            return copies.poll();
        }

        @Override
        public void close() {}
    }

    /** What is replayed may have failed again before the broker has confirmed it. */
    @Test
    void isRememberedAsOfWhenItBegan() {
        String correlationId = String.valueOf(copy("o-1").message().message().correlationId());
        transport.answerNext(CONFIRM);
        confirmTakes = Duration.ofMillis(7);

        assertThat(moved(Kind.REPLAY, REPLAY).moved()).isEqualTo(1);

        assertThat(timeline.elapsed()).isGreaterThanOrEqualTo(confirmTakes);
        assertThat(remembered.of(List.of(correlationId))).extracting(Moved::at).containsExactly(VirtualTimeline.START);
    }

    @Test
    void whatTheBrokerRefusesStaysAndTheOthersAreMoved() {
        RecordedDelivery tooLarge = copy("o-1");
        RecordedDelivery nacked = copy("o-2");
        RecordedDelivery unroutable = copy("o-3");
        RecordedDelivery taken = copy("o-4");
        transport.answerNext(TOO_LARGE, NACK, UNROUTABLE, CONFIRM);

        Progress progress = moved(Kind.REPLAY, REPLAY);

        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.matched()).isEqualTo(4);
        assertThat(progress.moved()).isEqualTo(1);
        assertThat(progress.refusals()).extracting(PoisonedMessage::messageId).containsExactly("o-1", "o-2", "o-3");
        assertThat(progress.refusals()).allSatisfy(copy -> {
            assertThat(copy.verdict()).isEqualTo(Verdict.REFUSED);
            assertThat(copy.explanation()).contains("is where it was", "SB-200");
        });
        assertThat(List.of(tooLarge, nacked, unroutable))
                .allSatisfy(copy -> assertThat(copy.settled()).isZero());
        assertThat(taken.acknowledged()).isEqualTo(1);
        assertThat(told).hasSize(1);
    }

    @Test
    void withoutAConfirmItEnds() {
        RecordedDelivery copy = copy("o-1");
        copy("o-2");
        transport.answerAll(SILENCE);

        try (LogLines log = new LogLines("io.safebunny.poison.replay", Level.ERROR)) {
            assertThat(moved(Kind.REPLAY, REPLAY).state()).isEqualTo(RunState.FAILED);
            assertThat(log.texts()).singleElement(STRING).contains("message o-1 may be in both queues");
        }
        assertThat(copy.settled()).isZero();
        assertThat(transport.attempted()).hasSize(1);
    }

    @Test
    void withoutAConnectionItEnds() {
        RecordedDelivery copy = copy("o-1");
        RecordedDelivery next = copy("o-2");
        transport.answerAll(LOSE_CONNECTION);

        assertThat(moved(Kind.REPLAY, REPLAY).state()).isEqualTo(RunState.FAILED);
        assertThat(copy.settled() + next.settled()).isZero();
        assertThat(transport.attempted())
                .extracting(message -> message.message().messageId())
                .containsOnly("o-1");
    }

    @Test
    void saysWhatToDoWhereThereIsNoArchive() {
        RecordedDelivery copy = copy("o-1");
        transport.answerAll(UNROUTABLE);

        Progress progress;
        try (LogLines log = new LogLines("io.safebunny.poison.replay", Level.ERROR)) {
            progress = moved(Kind.DISCARD, CopyRule.discard("billing", any -> {}));
            assertThat(log.texts()).singleElement(STRING).doesNotContain("both queues");
        }

        assertThat(progress.failure())
                .contains("SB-5014", "queue=billing-poison-archive", "--safebunny.topology=apply");
        assertThat(copy.settled()).isZero();
    }

    @Test
    void sendsNothingThatWentBackToTheQueue() {
        copy("o-0");
        copy("o-1").closed();

        Progress progress;
        try (LogLines log = new LogLines("io.safebunny.poison.replay", Level.ERROR)) {
            progress = moved(Kind.REPLAY, REPLAY);
            assertThat(log.texts()).singleElement(STRING).doesNotContain("both queues");
        }

        assertThat(progress.state()).isEqualTo(RunState.FAILED);
        assertThat(progress.failure()).contains("SB-5015", "the connection was lost");
        assertThat(transport.attempted()).hasSize(1);
    }

    /** The copy that was sent is in its queue again, and must not be told as moved. */
    @ParameterizedTest
    @EnumSource(names = {"REPLAY", "DISCARD"})
    void saysThatACopyIsStillThereWhenTheConnectionWasLostAfterTheConfirm(Kind kind) {
        RecordedDelivery copy = copy("o-1");
        copy("o-2");
        transport.answerAll(message -> {
            copy.closed();
            return CompletableFuture.completedFuture(null);
        });

        Progress progress;
        try (LogLines log = new LogLines("io.safebunny.poison.replay", Level.INFO)) {
            progress = moved(kind, kind == Kind.REPLAY ? REPLAY : CopyRule.discard("billing", any -> {}));
            assertThat(log.texts())
                    .noneSatisfy(line -> assertThat(line).contains("moved message"))
                    .anySatisfy(line -> assertThat(line).contains("message o-1 may be in both queues"));
        }

        assertThat(progress.state()).isEqualTo(RunState.FAILED);
        assertThat(progress.moved()).isZero();
        assertThat(progress.failure())
                .contains("SB-5015", "message o-1 was sent to", "in both queues", "Without one", "begin again");
        assertThat(transport.attempted()).hasSize(1);
        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"REPLAY", "DISCARD"})
    void whatIsPerhapsNotRemovedIsNotToldAsMoved(Kind kind) {
        PoisonNode node = new PoisonNode(timeline -> null);
        node.poisonOrders(2);
        node.losesRemovals = true;

        Progress progress;
        try (LogLines log = new LogLines("io.safebunny.poison.replay", Level.INFO)) {
            progress =
                    kind == Kind.REPLAY ? node.replay(PoisonNode.everything()) : node.discard(PoisonNode.everything());
            assertThat(log.texts())
                    .noneSatisfy(line -> assertThat(line).contains("moved message"))
                    .anySatisfy(line -> assertThat(line).contains("message o-0 may be in both queues"));
        }

        assertThat(progress.state()).isEqualTo(RunState.FAILED);
        assertThat(progress.moved()).isZero();
        assertThat(progress.failure()).contains("SB-5015", "message o-0 was sent to", "may be in both queues");
        assertThat(node.copies()).hasSize(2);
        assertThat(node.events).noneMatch(SafeBunnyEvent.MessageMoved.class::isInstance);
    }
}
