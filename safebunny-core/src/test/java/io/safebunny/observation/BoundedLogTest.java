// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.WatchedTimeline;
import io.safebunny.observation.BoundedLog.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class BoundedLogTest {

    private static final String NAME = "io.safebunny.observation.BoundedLogTest";
    private static final Logger LOG = LoggerFactory.getLogger(NAME);
    private static final Subject BAD = Subject.warn(LOG, "Bad messages");
    private static final Subject STORE = Subject.warn(LOG, "The store does not answer");

    private final LogLines lines = new LogLines(NAME);
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final WatchedTimeline watched = new WatchedTimeline(timeline);
    private final BoundedLog log = new BoundedLog(watched, ExceptionDetails.FULL);

    @AfterEach
    void close() {
        lines.close();
    }

    private void bad(int from, int to) {
        for (int i = from; i <= to; i++) {
            int number = i;
            log.tell(BAD, "m-" + i, () -> LOG.warn("m-{} is bad", number));
        }
    }

    @Test
    void tellsTheFirstAndThenTheNumberOfTheOthersOnceAMinute() {
        bad(1, 12_346);
        timeline.advance(Duration.ofSeconds(59));
        assertThat(lines.texts()).containsExactly("m-1 is bad");

        timeline.advance(Duration.ofSeconds(1));
        bad(12_347, 12_348);
        timeline.advance(Duration.ofHours(1));

        assertThat(lines.texts())
                .containsExactly(
                        "m-1 is bad",
                        "Bad messages: 12,345 more in the last 60 s, the last one: m-12346",
                        "Bad messages: 2 more in the last 60 s, the last one: m-12348");
    }

    @Test
    void tellsOneLineAMinuteForAsLongAsAFloodLasts() {
        for (int second = 0; second < 3_600; second++) {
            bad(second * 10, second * 10 + 9);
            timeline.advance(Duration.ofSeconds(1));
        }

        assertThat(lines.texts()).hasSizeBetween(59, 62);
    }

    @Test
    void tellsInFullAgainWhatComesSeldom() {
        for (int i = 1; i <= 10; i++) {
            bad(i, i);
            timeline.advance(BoundedLog.INTERVAL);
        }

        assertThat(lines.texts()).hasSize(10).allMatch(line -> line.endsWith("is bad"));
    }

    @Test
    void tellsAsManyInFullAsTheirKindMay() {
        for (int i = 1; i <= 30; i++) {
            int number = i;
            log.tell(BAD.upTo(20), "m-" + i, () -> LOG.warn("m-{} is bad", number));
        }
        log.close();

        assertThat(lines.texts()).hasSize(21);
        assertThat(lines.texts().get(20)).isEqualTo("Bad messages: 10 more in the last 0 s, the last one: m-30");
    }

    @Test
    void losesNoNumber() {
        bad(1, 100);
        timeline.advance(Duration.ofSeconds(90));
        bad(101, 200);
        log.close();

        assertThat(lines.texts()).hasSize(3);
        assertThat(lines.texts().get(1)).contains("99 more");
        assertThat(lines.texts().get(2)).contains("100 more in the last 30 s");
        log.close();
        timeline.advance(Duration.ofHours(1));
        assertThat(lines.texts()).hasSize(3);
    }

    @Test
    void countsOnlySoManyKindsEachForItself() {
        for (int i = 0; i < 5_000; i++) {
            log.tell(Subject.warn(LOG, "Kind " + i), "m-" + i, () -> LOG.warn("in full"));
        }
        log.close();

        assertThat(lines.texts()).hasSize(1_002).last().asString().startsWith("Others: 3,999 more");
    }

    @Test
    void tellsTheBeginningAndTheEndOfAnOutage() {
        for (int i = 1; i <= 1_000; i++) {
            log.fails(STORE, "m-" + i, () -> LOG.warn("The store does not answer: connection refused"));
            timeline.advance(Duration.ofSeconds(10));
        }
        assertThat(lines.texts()).hasSize(1);

        log.works(STORE);
        log.works(STORE);
        timeline.advance(Duration.ofHours(1));

        assertThat(lines.texts())
                .containsExactly(
                        "The store does not answer: connection refused",
                        "The store does not answer: over after 10000 s, 999 more of it, the last one: m-1000");
    }

    @Test
    void tellsTwoLinesAMinuteOfWhatComesAndGoes() {
        for (int second = 0; second < 3_600; second++) {
            log.fails(STORE, "m-" + second, () -> LOG.warn("no answer"));
            log.works(STORE);
            timeline.advance(Duration.ofSeconds(1));
        }

        assertThat(lines.texts()).hasSizeLessThan(2 * 62);
        List<String> expected = new ArrayList<>(lines.texts().subList(0, 4));
        assertThat(expected.get(0)).isEqualTo("no answer");
        assertThat(expected.get(1)).contains("over");
        assertThat(expected.get(2)).isEqualTo("no answer");
        assertThat(expected.get(3)).contains("over", "58 more");
    }

    @Test
    void tellsAtTheEndWhatStillDoesNotWork() {
        log.fails(STORE, "m-1", () -> LOG.warn("no answer"));
        log.fails(STORE, "m-2", () -> LOG.warn("no answer"));
        timeline.advance(Duration.ofSeconds(5));
        log.close();

        assertThat(lines.texts()).hasSize(2).last().asString().contains("for 5 s so far, 1 more of it", "m-2");
    }

    @Test
    void whatCannotBeScheduledFailsNobodyAndIsToldWithTheNextOne() {
        watched.hasNoThreads();
        bad(1, 3);
        log.fails(STORE, "m-1", () -> LOG.warn("no answer for m-1"));
        log.works(STORE);
        assertThat(lines.texts()).containsExactly("m-1 is bad", "no answer for m-1");

        watched.schedulingWorks();
        bad(4, 4);
        log.fails(STORE, "m-2", () -> LOG.warn("no answer for m-2"));
        log.works(STORE);
        timeline.advance(Duration.ofMinutes(1));

        assertThat(lines.texts())
                .contains(
                        "Bad messages: 3 more in the last 60 s, the last one: m-4",
                        "The store does not answer: over after 0 s, 1 more of it, the last one: m-2");
    }

    @Test
    void anOutageThatGoesOnForAnotherReasonTellsItOnceAMinute() {
        for (int second = 0; second < 150; second++) {
            String reason = second < 5 || second % 2 == 0 ? "not connected" : "no queue";
            log.fails(STORE, "m-" + second, reason, () -> LOG.warn(reason));
            timeline.advance(Duration.ofSeconds(1));
        }
        log.works(STORE);
        timeline.advance(Duration.ofSeconds(1));

        assertThat(lines.texts())
                .containsExactly(
                        "not connected",
                        "no queue",
                        "not connected",
                        "The store does not answer: over after 150 s, 147 more of it, the last one: m-149");
    }

    @Test
    void whatGoesOnWhenTheNodeStopsIsToldOnce() {
        log.fails(STORE, "m-1", () -> LOG.warn("no answer"));
        log.close();
        log.close();

        assertThat(lines.texts()).containsExactly("no answer", "The store does not answer: for 0 s so far");
    }
}
