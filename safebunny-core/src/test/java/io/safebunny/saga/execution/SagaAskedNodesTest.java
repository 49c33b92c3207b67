// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.execution.Trips.Book;
import io.safebunny.saga.execution.Trips.Fly;
import io.safebunny.saga.execution.Trips.TripSaga;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a look at the poison queue asks the nodes of sagas: of a node that is slow, silent, older or asked by others, too. */
class SagaAskedNodesTest {

    private final SagaWorld world = new SagaWorld();
    private boolean refuses = true;

    /** The sagas, each in a store of its own, which may be slow. */
    private final class SlowStore extends ForwardingMessageStore {
        private Duration each = Duration.ZERO;
        private String unreadable = "";

        SlowStore() {
            super(new MemoryMessageStore(world.timeline, Duration.ofDays(7)));
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (key.correlationId().equals(unreadable)) {
                throw new UnreadableRecordException(key, "of a newer version", null);
            }
            if (!each.isZero()) {
                world.timeline.advance(each);
            }
            return super.find(key);
        }
    }

    private final SlowStore trips = new SlowStore();

    private void start() {
        world.worksWhileWaiting = true;
        world.start("desk", List.of());
        world.start("trips", trips, List.of(), new TripSaga());
        world.start("airline", List.of(SagaWorld.handler("trips", Fly.class, (payload, context) -> {
            if (refuses) {
                throw new PoisonMessageException("as the test wants");
            }
            world.effects.add("Fly");
        })));
    }

    private void setAside(int many) {
        for (int i = 0; i < many; i++) {
            world.publish("desk", new Book("" + i), "trip-" + i);
        }
        world.pass(Duration.ofSeconds(30));
        assertThat(world.poison("airline")).hasSize(many);
        refuses = false;
    }

    private PoisonMessages poison() {
        return world.engine("airline").get(PoisonMessages.class);
    }

    private Nodes nodesOf(String node) {
        return world.engine(node).get(Nodes.class);
    }

    private static PoisonRequest all(int limit) {
        return PoisonRequest.of(PoisonFilter.all().withLimit(limit), "tester", "what is there?");
    }

    private PoisonOperation replay(PoisonRequest request) {
        PoisonOperation operation = poison().replay(request);
        world.pass(Duration.ofSeconds(5));
        assertThat(operation.progress().state()).isEqualTo(PoisonOperation.RunState.ENDED);
        return operation;
    }

    private static Duration duration(PoisonOperation operation) {
        return Duration.between(
                operation.begunAt(), Objects.requireNonNull(operation.progress().endedAt()));
    }

    /** It answers what it can in time, and is asked again for the rest. */
    @Test
    void aNodeWhoseStoreIsSlowIsAskedUntilAllIsTold() {
        start();
        setAside(60);
        trips.each = Duration.ofMillis(90);

        PoisonOperation count = replay(all(1_000).asDryRun());

        assertThat(count.progress().verdicts()).isEqualTo(Map.of(Verdict.RUN, 60));
        assertThat(duration(count)).isLessThan(Duration.ofSeconds(15)); // 5.4 for the store
    }

    /** Longer than an answer may take: then the asker says so once, and waits no more for it. */
    @Test
    void aNodeWhoseStoreIsAwayIsAskedOnceInAWhile() {
        start();
        setAside(60);
        trips.each = Duration.ofSeconds(3);

        PoisonOperation count = replay(all(1_000).asDryRun());

        assertThat(count.progress().verdicts()).isEqualTo(Map.of(Verdict.UNSURE, 60));
        assertThat(duration(count)).isLessThan(Duration.ofSeconds(10));
    }

    /** Of a newer version, perhaps: it says nothing of the others. */
    @Test
    void aSagaThatCannotBeReadKeepsNobodyFromAnAnswer() {
        start();
        setAside(5);
        trips.unreadable = "trip-3";

        assertThat(replay(all(10).asDryRun()).progress().verdicts())
                .isEqualTo(Map.of(Verdict.RUN, 4, Verdict.UNSURE, 1));
    }

    /** Each is waited for in the first moment, and all of them at once. */
    @Test
    void silentNodesAreWaitedForTogetherAndNotForEachCopy() {
        start();
        setAside(60);
        List<WireMessage> copies = world.poison("airline");
        for (int i = 0; i < 60; i++) { // of nodes that nobody has heard of
            world.replay(from("silent-" + i % 6, copies.get(i)), "airline-poison");
        }

        PoisonOperation replay = replay(all(1_000).atRate(4));

        assertThat(replay.progress().verdicts()).isEqualTo(Map.of(Verdict.RUN, 60, Verdict.UNSURE, 60));
        assertThat(duration(replay)).isLessThan(Duration.ofSeconds(36)); // 30 for the rate
    }

    private static WireMessage from(String node, WireMessage copy) {
        return new WireMessage(
                "of-" + node + copy.messageId(),
                copy.correlationId(),
                copy.type(),
                node,
                copy.timestamp(),
                copy.contentType(),
                copy.contentEncoding(),
                copy.priority(),
                new LinkedHashMap<>(copy.headers()),
                copy.body());
    }

    /** Otherwise a count would keep everybody else from it. */
    @Test
    void aNodeThatIsAskedOfManyCopiesAnswersOthersMeanwhile() {
        start();
        setAside(400);
        List<String> notes = new ArrayList<>();
        PoisonOperation count = poison().replay(all(100_000).asDryRun());
        for (int i = 0; i < 10; i++) {
            world.timeline.schedule(Duration.ofMillis(300L * i + 100), () -> {
                var unused = nodesOf("desk").list().thenAccept(listing -> listing.nodes().stream()
                        .filter(node -> node.node().equals("trips"))
                        .flatMap(node -> node.instances().stream())
                        .forEach(instance -> notes.add(String.valueOf(instance.note()))));
            });
        }
        world.pass(Duration.ofSeconds(5));

        assertThat(count.progress().verdicts()).isEqualTo(Map.of(Verdict.RUN, 400));
        assertThat(duration(count)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
        assertThat(notes).hasSize(10).containsOnly("null");
    }

    /** Two instances may count at once. */
    @Test
    void whoFindsANodeBusyWithSuchQuestionsAsksAgain() {
        start();
        setAside(400);
        PoisonOperation count = poison().replay(all(100_000).asDryRun());
        for (int i = 0; i < 20; i++) {
            String about = "trips\ntrip-%s a-step".formatted(i);
            world.timeline.schedule(Duration.ofMillis(501L * i), () -> {
                var unused = nodesOf("desk").askNamed("trips", "steps", about, answer -> answer, "");
            });
        }
        world.pass(Duration.ofSeconds(20));

        assertThat(count.progress().verdicts()).isEqualTo(Map.of(Verdict.RUN, 400));
    }

    /** It sends undos as this version does, and does not know the question. */
    @Test
    void aNodeOfAVersionThatCannotTellIsToBeUpgradedFirst() {
        world.transports = Older::new;
        start();
        setAside(1);

        PoisonedMessage shown = poison().list(PoisonFilter.all()).messages().get(0);

        assertThat(shown.verdict()).isEqualTo(Verdict.UNSURE);
        assertThat(shown.explanation())
                .contains("node trips does not say so (its version cannot: upgrade it, or look at the saga there)");
    }

    /** Knows no question about steps. */
    private static final class Older extends ForwardingTransport {
        Older(Transport transport) {
            super(transport);
        }

        @Override
        public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
            Map<ControlAddress, Consumer<byte[]>> older = new LinkedHashMap<>();
            listeners.forEach((address, listener) -> older.put(
                    address,
                    bytes -> listener.accept(new String(bytes, UTF_8)
                            .replace("\"what\":\"steps\"", "\"what\":\"newer\"")
                            .getBytes(UTF_8))));
            return super.control(older);
        }
    }
}
