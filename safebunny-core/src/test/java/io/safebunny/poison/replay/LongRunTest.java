// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.observation.DetailsByType;
import io.safebunny.operations.MovedCopies;
import io.safebunny.operations.NodeOperations;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.replay.PoisonReader.Copy;
import io.safebunny.poison.wanted.StepFates;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operations in a queue that is not theirs alone, on a broker that wants back what is kept for half an hour. */
class LongRunTest {

    private static final PoisonRequest ORDERS =
            PoisonRequest.of(PoisonFilter.all().withType("OrderPlaced"), "tester", "they take long");

    private final PoisonNode node = new PoisonNode(timeline -> null);
    private final RecordingTransport sent = new RecordingTransport();
    private final Random random = new Random(3);

    private void setAside(String type, String id) {
        node.setAside(
                Wires.orderPlaced().with("type", type).with("message_id", id).wire());
    }

    private static OutboundMessage back(Copy copy) {
        return new OutboundMessage(copy.wire(), new Route.ToQueue(PoisonNode.QUEUE), Duration.ZERO);
    }

    private List<String> sentIds() {
        return sent.confirmed().stream()
                .map(message -> String.valueOf(message.message().messageId()))
                .toList();
    }

    private Progress run(PoisonRequest request, CopyRule rule, Supplier<BrowsedQueue> browsing) {
        TrackedOperation operation = new TrackedOperation(Kind.REPLAY, request, node.timeline, ExceptionDetails.FULL);
        Node moving = new Node(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), sent, node.timeline)
                .callbacks(Runnable::run)
                .build());
        Runnable run = new MoveRun(
                operation,
                rule,
                browsing,
                new CopyMover(moving, new MovedCopies()),
                new PoisonReader(
                        Map.of(),
                        null,
                        new ReplayAge(node.timeline, Duration.ofDays(7), Duration.ofDays(90)),
                        new StepFates(moving, new NodeOperations(moving, "billing-1", false).nodes(), List::of).pass(),
                        new DetailsByType(ExceptionDetails.FULL)));
        run.run();
        return operation.progress();
    }

    /** In another order each time, and it closes its channel on whoever keeps a message for too long. */
    private final class HalfHour implements BrowsedQueue {
        private final BrowsedQueue all = node.browse();
        private final Deque<Delivery> shuffled;
        private final Duration end = node.timeline.elapsed().plus(Duration.ofMinutes(30));

        HalfHour() {
            List<Delivery> deliveries = new ArrayList<>();
            for (Delivery next = all.next(); next != null; next = all.next()) {
                deliveries.add(next);
            }
            Collections.shuffle(deliveries, random);
            shuffled = new ArrayDeque<>(deliveries);
        }

        @Override
        public long waiting() {
            return shuffled.size();
        }

        @Override
        public @Nullable Delivery next() {
            if (node.timeline.elapsed().compareTo(end) > 0) {
                throw new BrowsingException("billing-poison", "consumer timeout.", null);
            }
            return shuffled.poll();
        }

        @Override
        public void close() {
            all.close();
        }
    }

    @Test
    void putsBackWhatItKeepsAndJudgesNothingTwice() {
        for (int i = 0; i < 60; i++) {
            setAside("OrderPlaced", "o-" + i);
        }
        setAside("OrderPlaced", "o-1"); // once more, and as little to be moved
        for (int i = 0; i < 5; i++) {
            setAside("Other", "other-" + i);
        }
        CopyRule evenOnes =
                copy -> Integer.parseInt(copy.shown().messageId().substring(2)) % 2 == 0 ? back(copy) : null;

        Progress progress = run(ORDERS.atRate(1 / 120.0), evenOnes, HalfHour::new);

        assertThat(progress.state()).as(progress.toString()).isEqualTo(RunState.ENDED);
        assertThat(progress.matched()).isEqualTo(61);
        assertThat(progress.depth()).isEqualTo(66);
        assertThat(progress.scanned()).isEqualTo(66);
        assertThat(progress.moved()).isEqualTo(30);
        assertThat(progress.missed()).isZero();
        assertThat(sentIds()).hasSize(30).doesNotHaveDuplicates();
        assertThat(progress.refusals())
                .extracting(PoisonedMessage::messageId)
                .hasSize(31)
                .containsOnlyOnce("o-3", "o-59");
        assertThat(node.copies()).hasSize(36);
        assertThat(node.timeline.elapsed()).isGreaterThan(Duration.ofMinutes(50));
    }

    @Test
    void aDryRunCountsNothingTwice() {
        for (int i = 0; i < 60; i++) {
            setAside("OrderPlaced", "o-" + i);
        }
        CopyRule slow = copy -> {
            node.timeline.advance(Duration.ofMinutes(1));
            return back(copy);
        };

        Progress progress = run(ORDERS.asDryRun(), slow, HalfHour::new);

        assertThat(progress.matched()).as(progress.toString()).isEqualTo(60);
        assertThat(progress.moved()).isEqualTo(60);
        assertThat(progress.depth()).isEqualTo(60);
        assertThat(progress.scanned()).isEqualTo(60);
        assertThat(progress.missed()).isZero();
        assertThat(node.copies()).hasSize(60);
    }

    /** It would take the same ones again, for ever. */
    @Test
    void endsWhenAllThatItTakesIsOfNoUse() {
        for (int i = 0; i < 40; i++) {
            setAside("Other", "other-" + i);
        }
        Progress progress = run(ORDERS, LongRunTest::back, () -> new Changed(node.browse()) {
            @Override
            public @Nullable Delivery next() {
                node.timeline.advance(Duration.ofMinutes(1));
                return super.next();
            }
        });

        assertThat(progress.state()).isEqualTo(RunState.FAILED);
        assertThat(progress.failure()).contains("SB-5015", "in 20 minutes only copies came that do not match");
        assertThat(node.copies()).hasSize(40);
    }

    private static class Changed implements BrowsedQueue {
        private final BrowsedQueue real;

        Changed(BrowsedQueue real) {
            this.real = real;
        }

        @Override
        public long waiting() {
            return real.waiting();
        }

        @Override
        public @Nullable Delivery next() {
            return real.next();
        }

        @Override
        public void close() {
            real.close();
        }
    }

    /** So many are there, and two of them are taken by somebody else when the first is judged. */
    private Progress besideAnother(Duration until) {
        for (int i = 0; i < 5; i++) {
            setAside("OrderPlaced", "o-" + i);
        }
        BrowsedQueue another = node.browse();
        return run(
                ORDERS,
                copy -> {
                    if (copy.shown().messageId().equals("o-0")) {
                        assertThat(another.next()).isNotNull();
                        assertThat(another.next()).isNotNull();
                        node.timeline.schedule(until, another::close);
                    }
                    return back(copy);
                },
                node::browse);
    }

    @Test
    void waitsForWhatOthersLookAt() {
        Progress progress = besideAnother(Duration.ofSeconds(2));

        assertThat(progress.moved()).as(progress.toString()).isEqualTo(5);
        assertThat(progress.missed()).isZero();
    }

    @Test
    void saysHowManyItNeverGot() {
        Progress progress = besideAnother(Duration.ofMinutes(1));

        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.moved()).isEqualTo(3);
        assertThat(progress.missed()).isEqualTo(2);
        assertThat(node.timeline.elapsed()).isEqualTo(Duration.ofSeconds(3));
    }

    /** So many are there, and another has taken some of them, for so long, when it begins. */
    private Progress heldFromTheBeginning(int copies, int held, Duration until) {
        for (int i = 0; i < copies; i++) {
            setAside("OrderPlaced", "o-" + i);
        }
        BrowsedQueue another = node.browse();
        for (int i = 0; i < held; i++) {
            assertThat(another.next()).isNotNull();
        }
        node.timeline.schedule(until, another::close);
        return run(ORDERS, LongRunTest::back, node::browse);
    }

    @Test
    void waitsForWhatOthersHoldWhenItBegins() {
        Progress progress = heldFromTheBeginning(3, 3, Duration.ofSeconds(2));

        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.moved()).as(progress.toString()).isEqualTo(3);
        assertThat(progress.missed()).isZero();
    }

    /** The broker does not say how much that is. */
    @Test
    void countsNothingOfWhatOthersHeldWhenItBegan() {
        Progress progress = heldFromTheBeginning(2, 2, Duration.ofMinutes(1));

        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.matched()).isZero();
        assertThat(progress.missed()).isZero();
        assertThat(node.timeline.elapsed()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void doesNotWaitForWhatOthersHeldWhenItBeganIfItFindsCopies() {
        Progress progress = heldFromTheBeginning(3, 1, Duration.ofSeconds(2));

        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.moved()).isEqualTo(2);
        assertThat(progress.missed()).isZero();
        assertThat(node.timeline.elapsed()).isZero();
    }

    @Test
    void canBeCancelledWhileItWaitsForTheFirst() {
        setAside("OrderPlaced", "o-0");
        try (BrowsedQueue another = node.browse()) {
            assertThat(another.next()).isNotNull();
            PoisonOperation replay = node.poison().replay(ORDERS);
            node.timeline.schedule(Duration.ofMillis(500), replay::cancel);
            node.settle();

            assertThat(replay.progress().state()).isEqualTo(RunState.CANCELLED);
        }
        assertThat(node.copies()).hasSize(1);
    }
}
