// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Parts;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What let the timeout of a saga run out, and that nothing else is taken for it. */
class TimedOutTest {

    private static final Instant OVER = Instant.parse("2026-03-02T10:40:00Z");
    private static final String SENT = "step pay: Capture";
    private static final String ASIDE = "Capture m-1 was set aside by billing: handler-failed";
    private static final String TIMEOUT = "timeout late is over";
    private static final String FAILED = "failed: too late";

    /** @param seconds after the timeout was over */
    private static Event at(int seconds, String what) {
        return new Event(OVER.plusSeconds(seconds), what);
    }

    private static NodeStory part(String node, List<Saga> sagas, List<Message> messages) {
        return Parts.part(node, node + "-1", OVER, sagas, messages);
    }

    private static Message capture(State state, String exception, int... failedAt) {
        List<Failure> failures = Arrays.stream(failedAt)
                .mapToObj(seconds -> new Failure(OVER.plusSeconds(seconds), "host", 7, exception, null, null))
                .toList();
        return new Message("m-1", "c", "Capture", state, 0, null, OVER, failures, List.of(), 0);
    }

    private static List<String> told(List<Event> history, NodeStory... others) {
        Saga saga = new Saga(
                "Order",
                "c",
                SagaStatus.FAILED,
                OVER.minusSeconds(600),
                OVER,
                "too late",
                List.of(new Step("pay", "m-1", "Capture", null, StepStatus.SENT)),
                Map.of(),
                List.of(),
                null,
                List.of(),
                history);
        List<NodeStory> parts = Stream.concat(Stream.of(part("shop", List.of(saga), List.of())), Stream.of(others))
                .toList();
        return Telling.of("c", OVER.plusSeconds(60), parts).sentences();
    }

    private static List<Arguments> ends() {
        Event sent = at(-50, SENT);
        return List.of(
                arguments(true, List.of(sent, at(0, TIMEOUT), at(0, FAILED))),
                arguments(true, List.of(sent, at(0, TIMEOUT), at(0, "failed"))),
                arguments(true, List.of(sent, at(0, TIMEOUT), at(0, "step more: Mail"), at(0, FAILED))),
                arguments(true, List.of(sent, at(0, TIMEOUT), at(0, "cancelled timeout other"), at(0, FAILED))),
                arguments(false, List.of(sent, at(0, FAILED))),
                arguments(false, List.of(sent, at(-1, TIMEOUT), at(0, FAILED))),
                arguments(false, List.of(sent, at(0, TIMEOUT), at(0, "took Note m-2"), at(0, FAILED))),
                arguments(false, List.of(sent, at(0, TIMEOUT), at(0, "FAIL: too late"), at(0, FAILED))),
                arguments(false, List.of(sent, at(0, TIMEOUT))));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void itsTimeoutIsNamedIfItFailedInTheSameMomentAndNotByHand(boolean byTimeout, List<Event> history) {
        assertThat(told(history))
                .filteredOn(sentence -> sentence.startsWith("It failed when its timeout late expired, at 10:"))
                .hasSize(byTimeout ? 1 : 0);
    }

    private static List<Arguments> resumes() {
        Event set = at(-50, "timeout late at " + OVER.minusSeconds(30));
        return List.of(
                arguments(true, List.of(set, at(-1, "RESUME: they gave up"), at(0, TIMEOUT), at(0, FAILED))),
                arguments(
                        true,
                        List.of(set, at(-1, "RESUME: a"), at(-1, "took Note m-2"), at(0, TIMEOUT), at(0, FAILED))),
                arguments(false, List.of(set, at(0, TIMEOUT), at(0, FAILED))),
                arguments(false, List.of(set, at(-40, "RESUME: before it was due"), at(0, TIMEOUT), at(0, FAILED))),
                arguments(false, List.of(at(-60, "RESUME: before it was set"), set, at(0, TIMEOUT), at(0, FAILED))),
                arguments(false, List.of(at(-1, "RESUME: of which time is lost"), at(0, TIMEOUT), at(0, FAILED))),
                arguments(
                        false,
                        List.of(
                                at(-50, "timeout late at night at " + OVER.minusSeconds(30)),
                                at(-1, "RESUME: another timeout was due"),
                                at(0, TIMEOUT),
                                at(0, FAILED))),
                arguments(false, List.of(set, at(-1, "SKIP: no"), at(0, TIMEOUT), at(0, FAILED))));
    }

    @ParameterizedTest
    @MethodSource("resumes")
    void whoLetItRunIsNamedIfItWasDueBefore(boolean byResume, List<Event> history) {
        assertThat(told(history))
                .filteredOn(
                        sentence -> sentence.matches(
                                "It failed when its timeout late ran, at 10:40:00Z: somebody had resumed the saga at 10:39:59Z \\(.*\\), and the timeout had been due since 10:39:30Z\\."))
                .hasSize(byResume ? 1 : 0);
    }

    @Test
    void tellsTheLastFailureBeforeIt() {
        assertThat(told(
                        List.of(at(-50, SENT), at(0, TIMEOUT), at(0, FAILED)),
                        part(
                                "billing",
                                List.of(),
                                List.of(capture(State.WAITING, "io.shop.GatewayTimeout", -40, -5, 5)))))
                .contains(
                        "Until then billing had failed to handle `Capture` (m-1), the command of step pay, the last time at 10:39:55Z (GatewayTimeout).");
    }

    @ParameterizedTest
    @EnumSource(names = {"HANDLED", "UNSENT"})
    void whatHasBeenHandledSinceHasNotFailed(State state) {
        assertThat(told(
                        List.of(at(-50, SENT), at(0, TIMEOUT), at(0, FAILED)),
                        part("billing", List.of(), List.of(capture(state, "io.shop.GatewayTimeout", -40)))))
                .noneMatch(sentence -> sentence.startsWith("Until then"));
    }

    /** It may have been waiting for something else. */
    @Test
    void aCommandFromBeforeTheLastMessageIsNotTheCause() {
        assertThat(told(
                        List.of(at(-50, SENT), at(-20, "took Note m-2"), at(0, TIMEOUT), at(0, FAILED)),
                        part("billing", List.of(), List.of(capture(State.WAITING, "io.shop.GatewayTimeout", -40)))))
                .noneMatch(sentence -> sentence.startsWith("Until then"));
    }

    @Test
    void tellsWhenItHeardLastThatItsCommandWasSetAsideAndWhyThatNodeDid() {
        assertThat(told(
                        List.of(at(-50, SENT), at(-40, ASIDE), at(-20, ASIDE), at(0, TIMEOUT), at(0, FAILED)),
                        part("stock", List.of(), List.of(capture(State.SET_ASIDE, "io.shop.NoStock", -45))),
                        part("billing", List.of(), List.of(capture(State.SET_ASIDE, "io.shop.GatewayTimeout", -45)))))
                .contains(
                        "It had taken no message since 10:39:40Z, when it heard that billing had set aside `Capture` (m-1), the command of step pay (handler-failed: GatewayTimeout).");
    }
}
