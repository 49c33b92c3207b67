// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.order.lane.Lane.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lanes at random, beside a plain list of what waits. */
class LaneRulesTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);

    @Test
    void runsWhatIsStoredInOrderAndOnce() {
        for (int seed = 0; seed < 2_000; seed++) {
            Model model = new Model(new Random(seed));
            for (int step = 0; step < 100; step++) {
                model.step();
            }
            model.drain();

            assertThat(model.ended).as("seed %s", seed).isEqualTo(model.delivered);
            assertThat(model.lane.isFree()).as("seed %s", seed).isTrue();
        }
    }

    @Test
    void parksAThousandAndNoMore() {
        Lane lane = LaneRules.waits(Lane.UNUSED, "head", NOW, NOW);
        for (int i = 0; i < Lane.MOST_PARKED; i++) {
            assertThat(lane.isFull()).isFalse();
            lane = LaneRules.parks(lane);
        }

        Lane full = lane;
        assertThat(full.isFull()).isTrue();
        assertThat(full.parked()).isEqualTo(1_000);
        assertThatThrownBy(() -> LaneRules.parks(full)).isInstanceOf(IllegalStateException.class);
        assertThat(LaneRules.parks(LaneRules.ends(LaneRules.ends(full, "head", NOW), "first", NOW))
                        .isFull())
                .as("once the first of them has ended")
                .isTrue();
    }

    @Test
    void parksNothingInAFreeLane() {
        assertThatThrownBy(() -> LaneRules.parks(Lane.UNUSED)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> LaneRules.ends(Lane.UNUSED, "a", NOW)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void movesOnlyForTheMessageWhoseTurnItIs() {
        Lane lane = LaneRules.parks(LaneRules.waits(Lane.UNUSED, "a", NOW, NOW));

        assertThatThrownBy(() -> LaneRules.ends(lane, "b", NOW)).hasMessageContaining("turn of message a, not of b");
        assertThatThrownBy(() -> LaneRules.waits(lane, "b", NOW, NOW)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> LaneRules.holds(lane, "b", NOW)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void usesNoSlotTwice() {
        Lane lane = LaneRules.parks(LaneRules.waits(Lane.UNUSED, "a", NOW, NOW));
        Lane free = LaneRules.ends(LaneRules.ends(lane, "a", NOW), "b", NOW);

        assertThat(free).isEqualTo(Lane.free(1));
        assertThat(LaneRules.waits(free, "c", NOW, NOW).next()).isEqualTo(1);
    }

    @Test
    void remembersSinceWhenMessagesWaitAndSinceWhenTheHeadIsSetAside() {
        Lane lane = LaneRules.parks(LaneRules.waits(Lane.UNUSED, "a", NOW, NOW.plusSeconds(5)));
        Lane next = LaneRules.ends(LaneRules.drains(lane, NOW.plusSeconds(30)), "a", NOW.plusSeconds(40));

        assertThat(next).isEqualTo(new Lane(State.DRAINING, null, 0, 1, NOW, NOW.plusSeconds(40)));
        assertThat(LaneRules.holds(next, "b", NOW.plusSeconds(9)))
                .isEqualTo(new Lane(State.HELD, "b", 1, 1, NOW.plusSeconds(9), null));
    }

    /** A key's lane, and what a list says of it. */
    private static final class Model {

        final List<String> delivered = new ArrayList<>();
        final List<String> ended = new ArrayList<>();
        private final List<String> waiting = new ArrayList<>();
        private final Map<Long, String> slots = new HashMap<>();
        private final Random random;
        Lane lane = Lane.UNUSED;

        Model(Random random) {
            this.random = random;
        }

        void step() {
            if (random.nextBoolean()) {
                deliver();
            } else if (!lane.isFree()) {
                turn(random.nextInt(5));
            }
        }

        void drain() {
            while (!lane.isFree()) {
                turn(0);
            }
        }

        private void deliver() {
            String id = "m" + delivered.size();
            if (lane.isFree()) {
                delivered.add(id);
                int how = random.nextInt(4);
                if (how < 2) {
                    ended.add(id);
                } else {
                    waiting.add(id);
                    become(how == 2 ? LaneRules.waits(lane, id, NOW, NOW) : LaneRules.holds(lane, id, NOW));
                }
            } else if (!lane.isFull()) {
                delivered.add(id);
                waiting.add(id);
                slots.put(lane.next(), id);
                become(LaneRules.parks(lane));
            }
        }

        /** What the runner does, or the operator if the lane is held. */
        private void turn(int how) {
            String current = current();
            assertThat(current).isEqualTo(waiting.get(0));
            if (lane.state() != State.HELD || random.nextBoolean()) {
                become(LaneRules.drains(lane, NOW));
            }
            switch (how) {
                case 0, 1 -> {
                    ended.add(current);
                    waiting.remove(0);
                    become(LaneRules.ends(lane, current, NOW));
                }
                case 2 -> become(LaneRules.waits(lane, current, NOW, NOW));
                case 3 -> become(LaneRules.holds(lane, current, NOW));
                default -> {} // the process dies
            }
        }

        private String current() {
            return lane.head() != null ? lane.head() : String.valueOf(slots.get(lane.first()));
        }

        private void become(Lane next) {
            lane = next;
            List<String> stored = new ArrayList<>();
            addUnlessNull(stored, lane.head());
            for (long slot = lane.first(); slot < lane.next(); slot++) {
                addUnlessNull(stored, slots.get(slot));
            }
            assertThat(stored).isEqualTo(waiting);
            assertThat(lane.isFree()).as("free, with %s waiting", waiting).isEqualTo(waiting.isEmpty());
        }

        private static void addUnlessNull(List<String> ids, @Nullable String id) {
            if (id != null) {
                ids.add(id);
            }
        }
    }
}
