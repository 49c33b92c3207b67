// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.order.sharding.Division.Change;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing is forwarded by another number of shards before all of the old ones are drained, whoever asks for what. */
class GateTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final SharedDivision division = new SharedDivision("StockChanged", store, timeline);
    private final List<String> marks = new ArrayList<>();

    private Gate gate(int wanted) {
        return new Gate(wanted, division, (shards, token) -> marks.add(shards + " " + token), timeline);
    }

    private String token() {
        return marks.get(marks.size() - 1).replaceAll(".* ", "");
    }

    private void drain(int shard, String token) {
        division.change(present -> present.drained(shard, token));
    }

    private Division stored() {
        return Objects.requireNonNull(division.read().division());
    }

    /** Asks once a second. */
    private void ask(Gate gate, int times) {
        for (int i = 0; i < times; i++) {
            timeline.advance(SECOND);
            assertThat(gate.isOpen()).isFalse();
        }
    }

    @Test
    void isOpenAtOnceForTheFirstAndForAllThatDivideAlike() {
        assertThat(gate(4).isOpen()).isTrue();
        assertThat(gate(4).isOpen()).isTrue();
        assertThat(stored()).isEqualTo(new Division(4));
        assertThat(marks).isEmpty();
    }

    @Test
    void marksTheShardsOnlyWhenNobodyGoesByTheNumberBeforeAndOpensWhenAllAreDrained() {
        gate(2).isOpen();
        Gate wider = gate(3);

        assertThat(wider.isOpen()).isFalse();
        ask(wider, 2);
        assertThat(marks).isEmpty();
        ask(wider, 1);
        assertThat(marks).hasSize(1).first().asString().startsWith("[0, 1] ");

        drain(0, token());
        ask(wider, 1);
        drain(1, token());
        timeline.advance(SECOND);

        assertThat(wider.isOpen()).isTrue();
        assertThat(stored()).isEqualTo(new Division(3));
    }

    @Test
    void marksAgainWhatIsNotDrained() {
        gate(2).isOpen();
        Gate wider = gate(3);
        wider.isOpen();
        ask(wider, 3);
        drain(1, token());

        ask(wider, 10);

        assertThat(marks).hasSize(2);
        assertThat(marks.get(1)).startsWith("[0] ").endsWith(token());
    }

    @Test
    void goesOnWithWhatAnotherInstanceHasBegun() {
        gate(2).isOpen();
        Gate first = gate(3);
        first.isOpen();
        ask(first, 3);
        drain(0, token());
        Gate second = gate(3);
        assertThat(second.isOpen()).isFalse();
        ask(second, 2);
        assertThat(marks).hasSize(2);
        assertThat(marks.get(1)).startsWith("[1] ").endsWith(token());

        drain(1, token());
        timeline.advance(SECOND);

        assertThat(second.isOpen()).isTrue();
    }

    /** One reads while the other one is about to write. */
    @ParameterizedTest
    @CsvSource({"3, 3", "3, 5"})
    void twoThatBeginAtOnceBeginOneChange(int wanted, int wantedByTheOther) {
        gate(2).isOpen();
        Gate other = gate(wantedByTheOther);
        MessageStore interrupted = new ForwardingMessageStore(store) {
            private boolean isFirst = true;

            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                if (isFirst) {
                    isFirst = false;
                    assertThat(other.isOpen()).isFalse();
                }
                return super.replace(record);
            }
        };
        SharedDivision shared = new SharedDivision("StockChanged", interrupted, timeline);
        Gate gate = new Gate(wanted, shared, (shards, token) -> marks.add(shards + " " + token), timeline);

        assertThat(gate.isOpen()).isFalse();

        Change begun = Objects.requireNonNull(stored().change());
        assertThat(begun.to()).isEqualTo(wantedByTheOther);
        ask(other, 3);
        assertThat(marks).containsExactly("[0, 1] " + begun.token());
        drain(0, token());
        drain(1, token());
        timeline.advance(SECOND);
        assertThat(other.isOpen()).isTrue();
        assertThat(stored()).isEqualTo(new Division(wantedByTheOther));
        timeline.advance(SECOND);
        assertThat(gate.isOpen()).isEqualTo(wanted == wantedByTheOther);
    }

    /** As when an operator starts a version twice, or an instance again in the middle. */
    @Test
    void oneThatStartsAgainInTheMiddleBeginsNothingAnew() {
        gate(2).isOpen();
        Gate first = gate(3);
        first.isOpen();
        ask(first, 3);
        Division before = stored();

        Gate again = gate(3);
        ask(again, 5);

        assertThat(stored()).isEqualTo(before);
        assertThat(marks.stream().distinct()).containsExactly(marks.get(0));
    }

    @Test
    void endsAChangeOfWhichNothingHasComeIfAnInstanceOfBeforeForwardsAgain() {
        Gate before = gate(2);
        before.isOpen();
        Gate wider = gate(3);
        wider.isOpen();
        ask(wider, 3);
        String abandoned = token();
        timeline.advance(SECOND);

        assertThat(before.isOpen()).isTrue();

        assertThat(stored()).isEqualTo(new Division(2));
        drain(0, abandoned);
        drain(1, abandoned);
        ask(wider, 1);
        assertThat(stored().undrained()).containsExactly(0, 1);
    }

    @Test
    void beginsAnewForAThirdNumber() {
        gate(2).isOpen();
        Gate wider = gate(3);
        wider.isOpen();
        ask(wider, 3);
        drain(0, token());
        String abandoned = token();
        Gate widest = gate(5);
        widest.isOpen();
        ask(widest, 3);

        assertThat(token()).isNotEqualTo(abandoned);
        assertThat(stored().undrained()).containsExactly(0, 1);
    }

    @Test
    void whoReadTheNumberBeforeForwardsForASecondAtMost() {
        Gate before = gate(2);
        before.isOpen();
        Gate wider = gate(3);
        wider.isOpen();
        timeline.advance(Duration.ofMillis(999));
        assertThat(before.isOpen()).isTrue(); // as it was read
        assertThat(stored().change()).isNotNull();
        timeline.advance(Duration.ofMillis(1));

        assertThat(before.isOpen()).isTrue(); // reads, and ends the change

        assertThat(stored().change()).isNull();
    }

    @Test
    void asksTheStoreAgainAfterItHasNotAnswered() {
        boolean[] isDown = {true};
        SharedDivision unsafe = new SharedDivision(
                "StockChanged",
                new ForwardingMessageStore(store) {
                    @Override
                    public @Nullable MessageRecord find(RecordKey key) {
                        if (isDown[0]) {
                            throw new StoreUnavailableException("down", null, null);
                        }
                        return super.find(key);
                    }
                },
                timeline);
        Gate gate = new Gate(2, unsafe, (Set<Integer> shards, String token) -> {}, timeline);

        assertThatThrownBy(gate::isOpen).isInstanceOf(StoreUnavailableException.class);
        isDown[0] = false;

        assertThat(gate.isOpen()).isTrue();
    }
}
