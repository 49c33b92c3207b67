// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.JointWrite;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message whose saga another instance changes, just before each of its writes. */
class SagaRacesTest {

    private static final String ID = "sum-1";
    private static final RecordKey SAGA = SagaDocument.key("Sum", ID);

    record Begin(int from) {}

    record Add(int amount) {}

    record Note(int sum) {}

    @BunnySaga
    static final class Sum {
        record State(int sum) {}

        int runs;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin) {
            return new State(begin.from());
        }

        @BunnyHandler(from = "desk")
        State on(Add add, State state, SagaContext saga) {
            runs++;
            int sum = state.sum() + add.amount();
            saga.step("note" + sum, new Note(sum));
            return new State(sum);
        }
    }

    /** Loses as many races as it is told to. */
    private final class ContestedStore extends ForwardingMessageStore {

        ContestedStore() {
            super(new MemoryMessageStore(world.timeline, Duration.ofDays(7)));
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            boolean writesTheSaga =
                    records.stream().anyMatch(record -> record.key().equals(SAGA));
            if (writesTheSaga && losses > 0) {
                losses--;
                world.timeline.advance(writeTakes);
                changeElsewhere();
            }
            return super.writeTogether(records);
        }

        private void changeElsewhere() {
            MessageRecord stored = Objects.requireNonNull(find(SAGA));
            SagaDocument saga = SagaDocument.read("Sum", stored);
            saga.note(world.timeline.now(), "changed by another instance");
            assertThat(replace(saga.write(stored, "another", world.timeline.now(), world.timeline.now())))
                    .isNotNull();
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Sum sum = new Sum();
    private final List<Integer> notes = new ArrayList<>();
    private final List<WireMessage> sent = new ArrayList<>();
    private int losses;
    private Duration writeTakes = Duration.ZERO;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("sums", new ContestedStore(), List.of(), sum);
        world.start(
                "book",
                List.of(SagaWorld.handler(
                        "sums", Note.class, (payload, context) -> notes.add(((Note) payload).sum()))));
        world.publish("desk", new Begin(1), ID);
        world.arrivals = message -> {
            if ("Add".equals(message.message().type())) {
                sent.add(message.message());
            }
            return 1;
        };
    }

    private void lose(int races) {
        losses = races;
        world.publish("desk", new Add(2), ID);
    }

    private double overtaken() {
        return world.counted("safebunny.dedup", "type", "Add", "outcome", "overtaken");
    }

    private void assertAddedOnce() {
        assertThat(world.saga("sums", ID).state()).isEqualTo("{\"sum\":3}");
        assertThat(world.saga("sums", ID).status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(notes).containsExactly(3);
        assertThat(world.poison("sums")).isEmpty();
        assertThat(sent)
                .extracting(copy -> copy.headers().getOrDefault("sb-attempt", 0))
                .containsOnly(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void runsAgainAtOnceFromWhatTheWinnerHasLeft(int races) {
        lose(races);

        assertThat(sum.runs).isEqualTo(races + 1);
        assertThat(overtaken()).isEqualTo(races);
        assertThat(sent).as("it never left").hasSize(1);
        assertAddedOnce();
    }

    /** It runs again at once after the first race, and waits for half a run to one and a half after the second, and twice that after the third. */
    @Test
    void whoKeepsLosingWaitsLongerEachTime() {
        writeTakes = Duration.ofMillis(10);
        Duration before = world.timeline.elapsed();

        lose(3);

        assertThat(world.timeline.elapsed().minus(before)).isBetween(Duration.ofMillis(45), Duration.ofMillis(75));
        assertThat(sum.runs).isEqualTo(4);
        assertAddedOnce();
    }

    @Test
    void afterFiveItComesBack() {
        lose(5);
        assertThat(sum.runs).isEqualTo(5);
        assertThat(overtaken()).isEqualTo(5);
        assertThat(notes).isEmpty();
        assertThat(world.saga("sums", ID).state()).isEqualTo("{\"sum\":1}");

        world.pass(Duration.ofSeconds(1));

        assertThat(sum.runs).isEqualTo(6);
        assertThat(sent).as("it and the copy that came back").hasSize(2);
        assertAddedOnce();
    }

    /** More often than it has attempts. */
    @Test
    void howeverOftenItLosesItSpendsNoAttempt() {
        lose(32);
        world.pass(Duration.ofSeconds(10));

        assertThat(sum.runs).isEqualTo(33);
        assertThat(sent).hasSize(7);
        assertAddedOnce();
    }
}
