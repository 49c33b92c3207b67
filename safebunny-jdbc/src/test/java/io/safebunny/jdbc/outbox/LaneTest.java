// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LaneTest {

    private final Lane lane = new Lane("c");

    private static OutboxRow row(long id) {
        return new OutboxRow(id, "c", 0, OutboxUnderTest.message("c", "m" + id));
    }

    private void add(long... ids) {
        Arrays.stream(ids).forEach(id -> lane.add(row(id), 0));
    }

    private static NavigableSet<Long> present(Long... ids) {
        return new TreeSet<>(List.of(ids));
    }

    private static List<Long> ids(List<OutboxRow> rows) {
        return rows.stream().map(OutboxRow::id).toList();
    }

    @Test
    void theOrderIsThatOfTheIdsAndNotOfTheCommits() {
        add(5, 6, 3, 4);
        assertThat(ids(lane.first(3))).containsExactly(3L, 4L, 5L);
        assertThat(ids(lane.take(lane.first(4), present(3L, 4L, 5L, 6L)).free()))
                .containsExactly(3L, 4L, 5L, 6L);
        assertThat(lane.isEmpty()).isTrue();
    }

    @Test
    void aRowThatIsAddedAfterTheQuestionGoesFirst() {
        add(5);
        List<OutboxRow> asked = lane.first(10);
        add(3);
        assertThat(lane.take(asked, present(3L, 5L)).free()).isEmpty();
        assertThat(lane.hasBefore(asked.get(0))).isTrue();
        assertThat(ids(lane.first(10))).containsExactly(3L, 5L);
    }

    @Test
    void aRowThatWasCommittedAfterTheAnswerIsNotTakenForOneThatIsGone() {
        add(5);
        List<OutboxRow> asked = lane.first(10);
        add(3);
        Lane.Part part = lane.take(asked, present(5L));
        assertThat(ids(part.free())).containsExactly(5L);
        assertThat(part.gone()).isEmpty();
        assertThat(ids(lane.first(10))).containsExactly(3L);
    }

    @Test
    void whatIsBehindAStrangerWaitsAndWhatIsBeforeItDoesNot() {
        add(3, 5, 7);
        assertThat(ids(lane.take(lane.first(10), present(3L, 4L, 5L, 7L)).free()))
                .containsExactly(3L);
        assertThat(ids(lane.first(10))).containsExactly(5L, 7L);
        assertThat(lane.hasBefore(row(5))).isFalse();
    }

    @Test
    void whatIsGoneWithASavepointIsNotSent() {
        add(3, 4, 5);
        Lane.Part part = lane.take(lane.first(10), present(3L, 5L));
        assertThat(ids(part.free())).containsExactly(3L, 5L);
        assertThat(ids(part.gone())).containsExactly(4L);
        assertThat(lane.isEmpty()).isTrue();
    }

    @Test
    void anOldRowIsRemovedFromBehindAYoungOneToo() {
        lane.add(row(5), 0);
        lane.add(row(3), 90);
        assertThat(ids(lane.removeOlder(100, 50))).containsExactly(5L);
        assertThat(ids(lane.removeAll())).containsExactly(3L);
        assertThat(lane.isEmpty()).isTrue();
    }
}
