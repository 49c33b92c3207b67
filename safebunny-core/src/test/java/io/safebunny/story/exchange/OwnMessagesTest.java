// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Parts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An alarm is told as the end of a timeout only if a timeout ran then, and a repair as done only if it was not refused. */
class OwnMessagesTest {

    private static final Instant START = Instant.parse("2026-03-02T10:00:00Z");
    private static final String END = "the end of a timeout";
    private static final String ALARM = "the alarm of a timeout";
    private static final String NO_END = ALARM + " that did not run";
    private static final Event BEGUN = at(0, "took Place m-0");

    private static Event at(int seconds, String what) {
        return new Event(START.plusSeconds(seconds), what);
    }

    private static Saga saga(String name, Event... history) {
        return new Saga(
                name,
                "c",
                SagaStatus.ACTIVE,
                START,
                START,
                null,
                List.of(),
                Map.of(),
                List.of(),
                null,
                List.of(),
                List.of(history));
    }

    private static Message handled(String type, int seconds) {
        String id = "at-" + seconds;
        return new Message(id, "c", type, State.HANDLED, 0, null, START.plusSeconds(seconds), List.of(), List.of(), 0);
    }

    private static NodeStory part(List<Saga> sagas, List<Message> messages) {
        return Parts.part("shop", "shop-1", START, sagas, messages);
    }

    private static List<Message> alarms(Integer... seconds) {
        return Stream.of(seconds).map(at -> handled("BunnyTimeout", at)).toList();
    }

    private static List<String> names(List<Message> messages, Saga... sagas) {
        OwnMessages own = new OwnMessages(part(List.of(sagas), messages));
        return messages.stream().map(own::name).map(String::valueOf).toList();
    }

    private static List<String> namesAmongAll(List<Message> messages, String asked, Saga... sagas) {
        OwnMessages own = new OwnMessages(part(List.of(sagas), messages));
        return messages.stream()
                .map(message -> String.valueOf(own.nameAmongAll(message, asked)))
                .toList();
    }

    @Test
    void onlyTheAlarmAtWhichATimeoutRanIsItsEnd() {
        assertThat(names(alarms(60, 120, 900), saga("Order", BEGUN, at(121, "timeout pay is over"))))
                .containsExactly(NO_END, END, NO_END);
        assertThat(names(alarms(60), saga("Order", BEGUN))).containsExactly(NO_END);
    }

    @Test
    void whatTheHistoryDoesNotReachIsNotDenied() {
        assertThat(names(alarms(60, 120), saga("Order", at(90, "took Paid m-1"), at(120, "timeout pay is over"))))
                .as("its beginning made room")
                .containsExactly(ALARM, END);
        assertThat(names(alarms(60), saga("Order", BEGUN, at(120, "timeout pay is over"))))
                .as("the clock of the store may be wrong")
                .containsExactly(ALARM);
        assertThat(names(alarms(60), saga("Order", BEGUN), saga("Parcel", BEGUN)))
                .as("each has alarms")
                .containsExactly(ALARM);
        assertThat(names(alarms(60), saga("Order"))).containsExactly(ALARM);
        assertThat(names(alarms(60))).containsExactly(ALARM);
    }

    @Test
    void ofSeveralInOneMomentTheirNumberIsKnown() {
        Saga saga = saga("Order", BEGUN, at(61, "timeout pay is over"));
        assertThat(names(alarms(60, 62, 500), saga)).containsExactly(ALARM, ALARM, NO_END);
        assertThat(namesAmongAll(alarms(60, 62, 500), "c", saga)).containsExactlyInAnyOrder(END, NO_END, NO_END);
        assertThat(namesAmongAll(alarms(60, 62, 500), "at-500", saga)).containsExactlyInAnyOrder(END, NO_END, NO_END);
        assertThat(namesAmongAll(alarms(60, 62, 500), "at-60", saga)).containsExactly(ALARM, ALARM, NO_END);
    }

    @Test
    void aRepairThatWasRefusedWasNotDone() {
        List<Message> repairs = List.of(handled("BunnyRepair", 10), handled("BunnyRepair", 12));
        Saga saga = saga("Order", BEGUN, at(10, "FAIL: no"), at(12, "refused RETRY (yes): it is FAILED"));
        assertThat(namesAmongAll(repairs, "c", saga))
                .containsExactly("a repair by hand", "a repair by hand that was refused");
        assertThat(names(repairs, saga)).containsOnly("a repair by hand");
        assertThat(names(List.of(handled("Paid", 10), handled("BunnyUndone", 10)), saga))
                .containsExactly("null", "the acknowledgement of an undo");
    }
}
