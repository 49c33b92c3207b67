// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.MisuseException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of sagas, many of one millisecond, page by page. */
@Tag("once")
class SagaPagesTest {

    private static final Set<String> NAMES = Set.of("Order", "Return");
    private static final Set<SagaStatus> ALL = EnumSet.allOf(SagaStatus.class);
    private static final int MANY = 3_000;

    /** Notes how much it is asked for at once. */
    private static final class Watched extends ForwardingMessageStore {
        private int most;
        private int total;

        Watched(VirtualTimeline timeline) {
            super(new MemoryMessageStore(timeline, Duration.ofDays(7)));
        }

        @Override
        public List<MessageRecord> findListed(ListingQuery query) {
            List<MessageRecord> found = super.findListed(query);
            most = Math.max(most, found.size());
            total += found.size();
            return found;
        }
    }

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Watched store = new Watched(timeline);
    private final SagaPages pages = new SagaPages(store, "shop");

    private void start(String name, String id, SagaStatus status, boolean blocked) {
        Instant now = timeline.now();
        SagaDocument saga = SagaDocument.start(name, id, now);
        saga.become(status);
        if (blocked) {
            saga.blocks().put(new Block(new BlockedOn("m-" + id, "Charge", "billing", "too-old"), 1, 0, false));
        }
        store.create(saga.write(null, "test", now, now.plus(Duration.ofDays(30))));
    }

    /** Three in each millisecond, and two hundred in one. */
    private void startMany() {
        List<SagaStatus> statuses = List.of(SagaStatus.values());
        for (int i = 0; i < MANY; i++) {
            SagaStatus status = statuses.get(i % statuses.size());
            start(i % 5 == 0 ? "Return" : "Order", "id-" + i, status, i % 500 == 0 && !status.isEnded());
            if (i % 3 == 0 && (i < 1_000 || i > 1_200)) {
                timeline.advance(Duration.ofMillis(1));
            }
        }
    }

    private List<SagaPage> walk(SagaQuery query) {
        List<SagaPage> walked = new ArrayList<>();
        String after = null;
        do {
            SagaPage page = pages.read(
                    NAMES, new SagaQuery(query.saga(), query.statuses(), query.blocked(), after, query.limit()));
            walked.add(page);
            after = page.next();
        } while (after != null);
        return walked;
    }

    private static List<SagaView> sagas(List<SagaPage> pages) {
        return pages.stream().flatMap(page -> page.sagas().stream()).toList();
    }

    private static SagaQuery of(Set<SagaStatus> statuses, boolean blocked, int limit) {
        return new SagaQuery(null, statuses, blocked, null, limit);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 100, 1_000})
    void eachIsThereOnceAndTheOldestFirst(int limit) {
        startMany();

        List<SagaView> all = sagas(walk(of(ALL, false, limit)));

        assertThat(all).hasSize(MANY).extracting(SagaView::id).doesNotHaveDuplicates();
        assertThat(all).extracting(SagaView::startedAt).isSorted();
        assertThat(store.most)
                .as("of those of one status in one millisecond, twice")
                .isLessThanOrEqualTo(2 * 51);
    }

    /** States may be large. */
    @Test
    void aPageDoesNotReadItsSizeOfEachNameAndStatus() {
        startMany();

        assertThat(pages.read(NAMES, of(ALL, false, 50)).sagas()).hasSize(50);
        assertThat(store.total).isLessThan(3 * 50);
    }

    @Test
    void thePageAfterTheLastFullOneIsNotPromised() {
        for (int i = 0; i < 10; i++) {
            start("Order", "id-" + i, SagaStatus.STUCK, false);
        }

        assertThat(walk(of(Set.of(SagaStatus.STUCK), false, 5)))
                .extracting(page -> page.sagas().size())
                .containsExactly(5, 5);
        assertThat(walk(of(Set.of(SagaStatus.FAILED), false, 5))).containsExactly(new SagaPage(List.of(), 0, null));
    }

    @Test
    void aThousandOfOneMillisecondDoNotHoldItUp() {
        for (int i = 0; i < 1_000; i++) {
            start("Order", "id-" + i, SagaStatus.ACTIVE, false);
        }

        assertThat(sagas(walk(of(ALL, false, 10))))
                .extracting(SagaView::id)
                .hasSize(1_000)
                .doesNotHaveDuplicates();
    }

    @Test
    void fewBlockedOnesAreFoundAmongManyWithoutReadingThemAllAtOnce() {
        startMany();

        List<SagaPage> walked = walk(of(ALL, true, 100));

        assertThat(sagas(walked)).isNotEmpty().allSatisfy(saga -> assertThat(saga.blockedOn())
                .hasSize(1));
        assertThat(walked).hasSize(3).extracting(SagaPage::scanned).allMatch(scanned -> scanned <= 1_000);
        assertThat(sagas(walked))
                .hasSameSizeAs(sagas(walk(of(ALL, false, 1_000))).stream()
                        .filter(saga -> !saga.blockedOn().isEmpty())
                        .toList());
    }

    @Test
    void aBlockedOneIsOnTheFirstPageBehindThousandsOfOlderActiveOnes() {
        for (int i = 0; i < MANY; i++) {
            start("Order", "id-" + i, SagaStatus.ACTIVE, false);
        }
        timeline.advance(Duration.ofMillis(1));
        start("Order", "blocked", SagaStatus.ACTIVE, true);

        SagaPage page = pages.read(NAMES, of(Set.of(SagaStatus.ACTIVE), true, 50));

        assertThat(page.sagas()).extracting(SagaView::id).containsExactly("blocked");
        assertThat(page.next()).isNull();
    }

    /** Nor does anybody read those that are too young. */
    @Test
    void onlyThoseThatStartedBefore() {
        start("Order", "old", SagaStatus.ACTIVE, true);
        timeline.advance(Duration.ofMillis(1));
        Instant before = timeline.now();
        startMany();

        for (boolean blocked : new boolean[] {true, false}) {
            store.total = 0;
            SagaPage page = pages.read(NAMES, new SagaQuery(null, ALL, blocked, before, null, 100));
            assertThat(page.sagas()).extracting(SagaView::id).containsExactly("old");
            assertThat(page.next()).isNull();
            assertThat(store.total)
                    .as("the same once more, to see that there is no other")
                    .isLessThanOrEqualTo(2);
        }
    }

    @Test
    void onlyTheOldPagesOfMany() {
        startMany();
        Instant before = timeline.now().minusMillis(100);

        List<SagaView> old = new ArrayList<>();
        String after = null;
        do {
            SagaPage page = pages.read(NAMES, new SagaQuery(null, ALL, false, before, after, 100));
            old.addAll(page.sagas());
            after = page.next();
        } while (after != null);

        assertThat(old)
                .extracting(SagaView::id)
                .isEqualTo(sagas(walk(of(ALL, false, 100))).stream()
                        .filter(saga -> saga.startedAt().isBefore(before))
                        .map(SagaView::id)
                        .toList())
                .hasSizeGreaterThan(1_000);
    }

    @Test
    void onlyThoseOfTheNameAndStatus() {
        startMany();

        assertThat(sagas(walk(new SagaQuery("Return", Set.of(SagaStatus.STUCK), false, null, 100))))
                .isNotEmpty()
                .allSatisfy(saga ->
                        assertThat(List.of(saga.saga(), saga.status())).isEqualTo(List.of("Return", SagaStatus.STUCK)));
    }

    @Test
    void thoseThatStartWhileSomebodyPagesChangeNothingBeforeThem() {
        startMany();
        String first = pages.read(NAMES, of(ALL, false, 10)).next();
        timeline.advance(Duration.ofMillis(1));
        start("Order", "late", SagaStatus.ACTIVE, false);

        List<SagaView> rest = new ArrayList<>();
        for (String after = first; after != null; ) {
            SagaPage page = pages.read(NAMES, new SagaQuery(null, ALL, false, after, 1_000));
            rest.addAll(page.sagas());
            after = page.next();
        }

        assertThat(rest).hasSize(MANY - 10 + 1).last().extracting(SagaView::id).isEqualTo("late");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "17", "x:Order:id", "17:Order:", "17::id", "99999999999999999999:Order:id"})
    void aPositionThatNoPageHasToldIsRefused(@Nullable String after) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> pages.read(NAMES, new SagaQuery(null, ALL, false, after, 1)))
                .withMessageContaining("SB-5001");
    }
}
