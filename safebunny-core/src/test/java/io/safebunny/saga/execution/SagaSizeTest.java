// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.store.JointWrite;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** A saga that has grown to its limit, in a store that takes no more than Cosmos DB's. */
class SagaSizeTest {

    private static final String ID = "heavy-1";
    /** Quotes need most room: about 180 KB in the store for each message. */
    private static final String TEXT = "x\"".repeat(5_000);

    record Begin(int number) {}

    record Add(int number) {}

    record Keep(int characters) {}

    record Stop(String reason) {}

    record Command(int number, String text) {}

    record Undo(int number, String text) {}

    @BunnySaga(participants = "worker")
    static class Heavy {
        record State(String text) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin) {
            return new State("");
        }

        @BunnyHandler(from = "desk")
        void on(Add add, SagaContext saga) {
            saga.step("step " + add.number(), new Command(add.number(), TEXT), new Undo(add.number(), TEXT));
        }

        @BunnyHandler(from = "desk")
        State on(Keep keep) {
            return new State("x".repeat(keep.characters()));
        }

        @BunnyHandler(from = "desk")
        void on(Stop stop, SagaContext saga) {
            saga.fail(stop.reason());
        }
    }

    private static final class SmallStore extends ForwardingMessageStore {
        SmallStore(MemoryMessageStore unlimited) {
            super(unlimited);
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            requireSmall(List.of(record));
            return super.replace(record);
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            requireSmall(records);
            return super.writeTogether(records);
        }

        private static void requireSmall(List<MessageRecord> records) {
            long all = 0;
            for (MessageRecord record : records) {
                long size = size(RecordJson.writeSteps(record.steps()))
                        + size(RecordJson.writeOutgoing(record.outgoing()))
                        + 2_000;
                all += size;
                if (size > 1_500_000 || all > 1_900_000) {
                    throw new RecordTooLargeException(record.key(), all, 1_500_000);
                }
            }
        }

        /** As a text within a document. */
        private static long size(String json) {
            return JsonMapper.shared().writeValueAsString(json).getBytes(UTF_8).length;
        }
    }

    private final SagaWorld world = new SagaWorld();
    private int commands;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start(
                "heavy",
                new SmallStore(new MemoryMessageStore(world.timeline, Duration.ofDays(7))),
                List.of(),
                new Heavy());
        world.start(
                "worker",
                List.of(
                        SagaWorld.handler("heavy", Command.class, (payload, context) -> commands++),
                        SagaWorld.handler(
                                "heavy",
                                Undo.class,
                                (payload, context) -> world.effects.add("undo " + ((Undo) payload).number()))));
        send(new Begin(0));
    }

    private void send(Object message) {
        world.publish("desk", message, ID);
    }

    private SagaView saga() {
        return world.saga("heavy", ID);
    }

    private String reason() {
        var headers = world.poison("heavy").get(0).headers();
        return headers.get("sb-poison-reason") + " " + headers.get("x-exception-message");
    }

    private void fill() {
        for (int i = 1; world.poison("heavy").isEmpty(); i++) {
            send(new Add(i));
        }
    }

    @Test
    void aStepForWhichItHasNoRoomIsTooLargeAndItIsStuck() {
        fill();

        assertThat(reason()).startsWith("too-large").contains("Heavy", "step [step 3]", "room=");
        assertThat(saga().steps()).hasSize(2);
        assertThat(commands).isEqualTo(2);
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void itCanBeRepairedAgainAndAgainAndIsUndone() {
        send(new Keep(130_000));
        fill();
        String odd = "\u0001".repeat(500);
        for (int i = 0; i < 60; i++) {
            world.sagas("heavy").patch("Heavy", ID, 1, "{}", odd); // refused, in its history
        }
        world.settle();
        assertThat(saga().history()).hasSizeBetween(10, 49); // the older ones made room

        world.sagas("heavy").fail("Heavy", ID, odd);
        world.settle();

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("undo 2", "undo 1");
        assertThat(world.poison("heavy")).hasSize(1);
    }

    @Test
    void itFailsByAMethodOfItsOwn() {
        fill();
        world.sagas("heavy").resume("Heavy", ID, "without it");
        world.settle();

        send(new Stop("\"".repeat(500)));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).hasSize(2);
    }

    @Test
    void aStateForWhichItHasNoRoomIsRefusedAndASmallerOneIsNot() {
        send(new Keep(1_000));
        send(new Add(1));
        send(new Add(2));
        send(new Keep(500));
        String state = "{\"text\":\"%s\"}".formatted("x".repeat(200_000));
        world.sagas("heavy").patch("Heavy", ID, saga().version(), state, "more");
        world.settle();
        assertThat(saga().history().get(saga().history().size() - 1).what())
                .contains("refused PATCH", "no room for its state");
        assertThat(saga().state()).hasSizeLessThan(600);
        assertThat(world.poison("heavy")).isEmpty();

        send(new Keep(200_000));

        assertThat(reason()).startsWith("too-large").contains("no room for its state");
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
    }
}
