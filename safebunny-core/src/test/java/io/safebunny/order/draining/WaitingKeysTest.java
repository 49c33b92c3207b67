// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.MisuseException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.order.draining.WaitingKeys.Entry;
import io.safebunny.order.draining.WaitingKeys.Page;
import io.safebunny.order.draining.WaitingKeys.Query;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The keys that wait, as an operator lists them. */
class WaitingKeysTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);

    private int read;

    private final MessageStore store =
            new ForwardingMessageStore(new MemoryMessageStore(VirtualTimeline.skipping(), Duration.ofDays(7))) {
                @Override
                public List<MessageRecord> findListed(ListingQuery query) {
                    List<MessageRecord> found = super.findListed(query);
                    read += found.size();
                    return found;
                }
            };

    private final WaitingKeys keys = new WaitingKeys(store);

    private void add(String key, String type, Lane lane, int parked) {
        Lane parking = lane;
        for (int i = 0; i < parked; i++) {
            parking = LaneRules.parks(parking);
        }
        var unused = store.create(LaneDocument.write(LaneDocument.key(key, type), null, parking, "test"));
    }

    private void held(String key, String type, int since, int parked) {
        add(key, type, LaneRules.holds(Lane.UNUSED, "m-" + key, NOW.plusSeconds(since)), parked);
    }

    private Page page(@Nullable String type, boolean held, @Nullable String after, int limit) {
        return keys.page(new Query(type, held, after, limit));
    }

    @Test
    void listsThoseThatAreHeldTheOldestFirst() {
        held("tea", "StockChanged", 7, 2);
        held("milk", "StockChanged", 3, Lane.MOST_PARKED);
        add("rice", "StockChanged", LaneRules.waits(Lane.UNUSED, "r", NOW, NOW.plusSeconds(60)), 1);

        assertThat(page(null, true, null, 10))
                .isEqualTo(new Page(
                        List.of(
                                new Entry(
                                        "milk",
                                        "StockChanged",
                                        State.HELD,
                                        "m-milk",
                                        NOW.plusSeconds(3),
                                        null,
                                        1_000,
                                        true),
                                new Entry(
                                        "tea",
                                        "StockChanged",
                                        State.HELD,
                                        "m-tea",
                                        NOW.plusSeconds(7),
                                        null,
                                        2,
                                        false)),
                        2,
                        null,
                        null));
        assertThat(page(null, false, null, 10).keys())
                .containsExactly(
                        new Entry("rice", "StockChanged", State.WAITING, "r", NOW, NOW.plusSeconds(60), 1, false));
    }

    @Test
    void listsEachOnceAlsoIfManyAreHeldAtOneMoment() {
        for (int i = 0; i < 250; i++) {
            held("key-" + i, i % 2 == 0 ? "Even" : "Odd", i / 100, 0);
        }

        List<String> listed = new ArrayList<>();
        String after = null;
        do {
            Page page = page(null, true, after, 40);
            page.keys().forEach(entry -> listed.add(entry.type() + entry.key()));
            assertThat(page.keys()).hasSizeLessThanOrEqualTo(40);
            after = page.next();
        } while (after != null);

        assertThat(listed).hasSize(250).doesNotHaveDuplicates();
    }

    @Test
    void readsAThousandForOneTypeAndGoesOnThere() {
        for (int i = 0; i < 1_050; i++) {
            held("key-" + i, "Many", i, 0);
        }
        held("last", "Few", 2_000, 1);
        read = 0;

        Page first = page("Few", true, null, 10);

        assertThat(first.keys()).isEmpty();
        assertThat(first.scanned()).isEqualTo(1_000);
        assertThat(read).isLessThan(1_200);
        assertThat(page("Few", true, first.next(), 10).keys())
                .extracting(Entry::key)
                .containsExactly("last");
    }

    @Test
    void refusesAPositionThatComesFromNoPage() {
        assertThatThrownBy(() -> page(null, true, "yesterday", 10))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("Invalid query of order keys [after=yesterday]");
    }
}
