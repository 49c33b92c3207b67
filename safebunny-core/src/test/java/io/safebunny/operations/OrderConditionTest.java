// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneFigures;
import io.safebunny.order.lane.LaneFigures.Counted;
import io.safebunny.order.lane.LaneRules;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A key that waits for a person is told in words, and so is one that may stop its whole type. */
class OrderConditionTest {

    private static final Instant SINCE = Instant.parse("2026-01-01T10:41:00Z");

    private static NodeCondition of(@Nullable LaneFigures figures) {
        return OrderCondition.of(
                true,
                new Counted(figures == null ? Map.of() : Map.of("StockChanged", figures), false, SINCE),
                List.of());
    }

    private static Lane parking(Lane lane, int messages) {
        Lane parking = lane;
        for (int i = 0; i < messages; i++) {
            parking = LaneRules.parks(parking);
        }
        return parking;
    }

    private static Lane held(int parked) {
        return parking(LaneRules.holds(Lane.UNUSED, "m1", SINCE), parked);
    }

    private static Lane waiting(int parked) {
        return parking(LaneRules.waits(Lane.UNUSED, "m1", SINCE, SINCE.plusSeconds(60)), parked);
    }

    @Test
    void isUnknownUntilItIsCounted() {
        assertThat(OrderCondition.of(null, null, List.of()).level()).isEqualTo(Level.UNKNOWN);
        assertThat(OrderCondition.of(true, null, List.of()).level()).isEqualTo(Level.UNKNOWN);
        assertThat(OrderCondition.of(false, null, List.of()).level()).isEqualTo(Level.UP);
        assertThat(of(null).level()).isEqualTo(Level.UP);
    }

    @Test
    void isUpWhileARetryHoldsBackWhatFollows() {
        NodeCondition condition = of(LaneFigures.NONE.and("tea", waiting(7)));

        assertThat(condition.level()).isEqualTo(Level.UP);
        assertThat(condition.details())
                .containsEntry("StockChanged", Map.of("held", 0L, "parked", 7L))
                .containsEntry("asOf", SINCE.toString());
    }

    @Test
    void needsAPersonForAShardNobodyListensTo() {
        NodeCondition condition =
                OrderCondition.of(true, new Counted(Map.of(), false, SINCE), List.of("Nobody listens to shard 3."));

        assertThat(condition.level()).isEqualTo(Level.DEGRADED);
        assertThat(condition.words()).isEqualTo("Nobody listens to shard 3.");
        assertThat(condition.details()).containsEntry("shards", List.of("Nobody listens to shard 3."));
    }

    @Test
    void needsAPersonForAKeyThatIsHeld() {
        NodeCondition condition = of(LaneFigures.NONE.and("tea", held(7)));

        assertThat(condition.level()).isEqualTo(Level.DEGRADED);
        assertThat(condition.words())
                .isEqualTo(
                        "1 order key waits for a message that was set aside. Replay those messages once their cause is repaired, or discard their copies: see safebunnypoison.");
        assertThat(condition.details())
                .containsEntry("StockChanged", Map.of("held", 1L, "parked", 7L, "oldest", SINCE.toString()));
    }

    @Test
    void saysThatAFullKeyMayStopItsTypeAndWhatHelps() {
        NodeCondition condition =
                of(LaneFigures.NONE.and("tea", held(Lane.MOST_PARKED)).and("milk", held(3)));

        assertThat(condition.level()).isEqualTo(Level.DEGRADED);
        assertThat(condition.words())
                .isEqualTo(
                        "2 order keys wait for a message that was set aside. Replay those messages once their cause is repaired, or discard their copies: see safebunnypoison. StockChanged is full for key tea, with 1000 messages behind the first: the next one keeps its place in the queue, and may stop all keys of the type. Replay or discard message m1, or start a version with onPoison = SKIP.");
        assertThat(condition.details())
                .containsEntry(
                        "StockChanged",
                        Map.of(
                                "held",
                                2L,
                                "parked",
                                1_003L,
                                "oldest",
                                SINCE.toString(),
                                "full",
                                1L,
                                "keys",
                                List.of("tea")));
    }

    @Test
    void saysThatAFullKeyIsRetriedOrHandled() {
        Lane full = waiting(Lane.MOST_PARKED);
        Lane handled = LaneRules.ends(full, "m1", SINCE);

        assertThat(of(LaneFigures.NONE.and("tea", full)).words())
                .endsWith("Message m1 is tried again; there is room when it has been handled or set aside.");
        assertThat(of(LaneFigures.NONE.and("tea", handled)).words())
                .endsWith("They are being handled, and there is room as they are.");
    }

    @Test
    void namesAFewOfManyAndSaysThatThereAreMore() {
        LaneFigures figures = IntStream.range(0, 7)
                .boxed()
                .reduce(
                        LaneFigures.NONE,
                        (some, key) -> some.and("key-" + key, held(Lane.MOST_PARKED)),
                        (one, other) -> other);

        NodeCondition condition =
                OrderCondition.of(true, new Counted(Map.of("StockChanged", figures), true, SINCE), List.of());

        assertThat(condition.words())
                .startsWith("At least 7 order keys wait")
                .contains("StockChanged is full for key key-0 and 6 more");
        assertThat(condition.details())
                .containsEntry("more", "only the 1,000 oldest of each kind are counted")
                .extractingByKey("StockChanged")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("keys", List.of("key-0", "key-1", "key-2", "key-3", "key-4"));
    }
}
