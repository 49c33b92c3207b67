// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.ScheduledMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Awaited;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.Story.Command;
import io.safebunny.story.exchange.Gathered;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is rare in tests of whole nodes, from values alone. */
class TellingTest {

    private static final Instant NOW = Instant.parse("2026-03-02T10:41:00Z");

    private static NodeStory part(List<String> troubles, List<Message> messages, List<Unsent> outbox) {
        return new NodeStory(
                "shop",
                "shop-1",
                NOW,
                "correlation id",
                List.of("c"),
                troubles,
                List.of(),
                messages,
                List.of(),
                outbox,
                List.of(),
                List.of(),
                false);
    }

    private static Message message(
            State state, @Nullable Instant claimedUntil, List<Failure> failures, List<Publication> published) {
        return new Message("m-1", "c", "Capture", state, 0, claimedUntil, NOW.minusSeconds(60), failures, published, 0);
    }

    /** The same with other messages. */
    static NodeStory with(NodeStory part, List<Message> messages) {
        return new NodeStory(
                part.node(),
                part.instance(),
                part.asOf(),
                part.foundAs(),
                part.correlationIds(),
                part.troubles(),
                part.sagas(),
                messages,
                part.pauses(),
                part.outbox(),
                part.scheduled(),
                part.looked(),
                part.truncated());
    }

    private static NodeStory of(
            List<Saga> sagas, List<Message> messages, List<Pause> pauses, List<Scheduled> scheduled) {
        return new NodeStory(
                "shop",
                "shop-1",
                NOW,
                "correlation id",
                List.of("c"),
                List.of(),
                sagas,
                messages,
                pauses,
                List.of(),
                scheduled,
                List.of(),
                false);
    }

    private static Saga saga(SagaStatus status, List<Step> steps, List<BlockedOn> blockedOn, List<Awaited> awaited) {
        return new Saga(
                "Order",
                "c",
                status,
                NOW.minusSeconds(600),
                NOW.minusSeconds(60),
                "declined",
                steps,
                Map.of(),
                blockedOn,
                null,
                awaited,
                List.of());
    }

    private static Step step(String name, @Nullable String undo, StepStatus status) {
        return new Step(name, "m-" + name, "Do" + name, undo, status);
    }

    private static Story told(Saga saga) {
        return Telling.of("c", NOW, List.of(of(List.of(saga), List.of(), List.of(), List.of())));
    }

    private static List<String> requests(Story story) {
        return story.next().stream()
                .map(command -> "%s %s"
                        .formatted(command.node(), command.curl())
                        .replace(" -H 'Content-Type: application/json' -d", "")
                        .replaceFirst("\\$\\{ACTUATOR[^}]*}", ""))
                .toList();
    }

    @Test
    void anAcknowledgementThatWasSetAsideIsReplayedAndNotUndoneAgain() {
        Story story = told(saga(
                SagaStatus.COMPENSATION_FAILED,
                List.of(step("pay", "Refund", StepStatus.UNDOING)),
                List.of(new BlockedOn("ack-1", "BunnyUndone", "shop", "retries-exhausted")),
                List.of()));

        assertThat(story.sentences())
                .startsWith(
                        "Order c of shop failed (\"declined\"), and the acknowledgement of `Refund`, the undo of step pay, was set aside: the undo itself was carried out. It waits until somebody repairs it; it last changed at 10:40:00Z.");
        assertThat(requests(story))
                .containsExactly(
                        "shop curl -sS \"/safebunnypoison/ack-1\"",
                        "shop curl -sS \"/safebunny/sagas/c\"",
                        "shop curl -sS '{\"action\":\"replay\",\"dryRun\":\"true\",\"reason\":\"REASON\"}' \"/safebunnypoison/ack-1\"");
    }

    @Test
    void aCommandOfASagaThatUndoesItsStepsIsNotRepeated() {
        Story story = told(saga(
                SagaStatus.COMPENSATING,
                List.of(step("pay", "Refund", StepStatus.UNDOING), step("mail", null, StepStatus.SENT)),
                List.of(new BlockedOn("m-mail", "Dopay", "billing", "handler-failed")),
                List.of()));

        assertThat(story.sentences())
                .contains(
                        "billing has set `Dopay` (m-mail) aside (handler-failed), and the saga does not wait for it any more.");
        assertThat(requests(story))
                .contains("billing curl -sS \"/safebunnypoison/m-mail\"")
                .noneMatch(request -> request.contains("replay") || request.contains("retry"));
    }

    @Test
    void aSagaThatIsStuckOnATimeoutTriesItAgain() {
        Saga stuck = new Saga(
                "Order",
                "c",
                SagaStatus.STUCK,
                NOW.minusSeconds(600),
                NOW.minusSeconds(60),
                null,
                List.of(),
                Map.of(),
                List.of(),
                new StuckOn("m-1", "shop", NOW.minusSeconds(60), "BunnyTimeout", null, null),
                List.of(),
                List.of());

        assertThat(told(stuck).next())
                .filteredOn(command -> command.curl().contains("resume"))
                .singleElement()
                .satisfies(command -> assertThat(command.why())
                        .contains("tries the timeout again")
                        .doesNotContain("gives up"));
    }

    /** Somebody has replayed its copy: the saga hears of that only by its answer. */
    @Test
    void aSagaWhoseCommandIsTriedAgainDoesNotWaitForARepair() {
        Saga saga = saga(
                SagaStatus.ACTIVE,
                List.of(new Step("pay", "m-1", "Capture", "Refund", StepStatus.SENT)),
                List.of(new BlockedOn("m-1", "Capture", "shop", "handler-failed")),
                List.of());
        for (State state : List.of(State.WAITING, State.HANDLING, State.HANDLED)) {
            Message again = message(state, null, List.of(), List.of());
            assertThat(Telling.of("c", NOW, List.of(of(List.of(saga), List.of(again), List.of(), List.of())))
                            .sentences())
                    .contains(
                            "Order c of shop has been active since 10:31:00Z.",
                            "shop has set `Capture` (m-1) aside (handler-failed), and the saga is blocked on it.");
        }
        assertThat(told(saga).sentences())
                .contains(
                        "Order c of shop waits for a repair: shop has set aside `Capture` (m-1), the command of step pay (handler-failed).");
    }

    private static final String ASIDE = "Capture m-1 was set aside by billing: handler-failed";

    private static List<Arguments> repairs() {
        return List.of(
                arguments(true, List.of(ASIDE, "RETRY: now", ASIDE)),
                arguments(true, List.of(ASIDE, ASIDE, "RETRY: now", "SKIP: no", ASIDE)),
                arguments(false, List.of(ASIDE, "RETRY: now")),
                arguments(false, List.of(ASIDE, "RETRY: now", "RETRY: again")),
                arguments(false, List.of(ASIDE, ASIDE, "RETRY: now")),
                arguments(false, List.of("RETRY: now", ASIDE, ASIDE)),
                arguments(false, List.of(ASIDE, "SKIP: by hand", ASIDE)),
                arguments(false, List.of(ASIDE.replace("m-1", "m-2"), "RETRY: now", ASIDE)),
                arguments(false, List.of(ASIDE.replace("billing", "stock"), "RETRY: now", ASIDE)));
    }

    @ParameterizedTest
    @MethodSource("repairs")
    void onlyWhatARetryHasSentWasSetAsideAgain(boolean again, List<String> events) {
        Saga saga = new Saga(
                "Order",
                "c",
                SagaStatus.ACTIVE,
                NOW,
                NOW,
                null,
                List.of(step("pay", null, StepStatus.SENT)),
                Map.of(),
                List.of(new BlockedOn("m-1", "Capture", "billing", "handler-failed")),
                null,
                List.of(),
                events.stream().map(what -> new SagaView.Event(NOW, what)).toList());

        assertThat(told(saga).sentences())
                .filteredOn(sentence -> sentence.startsWith("By hand, somebody has "))
                .singleElement()
                .asString()
                .matches(sentence -> sentence.contains("What was sent again was set aside again.") == again);
    }

    /** An undo that was acknowledged was carried out, wherever else a copy of it was set aside. */
    @Test
    void anUndoThatIsAcknowledgedIsNotOfferedForReplay() {
        Message undo = message(State.SET_ASIDE, null, List.of(), List.of());
        for (StepStatus status : List.of(StepStatus.UNDONE, StepStatus.UNDOING)) {
            Saga saga = saga(
                    SagaStatus.COMPENSATING,
                    List.of(
                            new Step("reserve", "m-0", "Reserve", "Release", StepStatus.UNDOING),
                            new Step("pay", "m-2", "Pay", "Capture", status)),
                    List.of(),
                    List.of());
            Story story = Telling.of("c", NOW, List.of(of(List.of(saga), List.of(undo), List.of(), List.of())));
            boolean isDone = status == StepStatus.UNDONE;

            assertThat(story.next())
                    .extracting(Command::curl)
                    .matches(curls -> curls.stream().noneMatch(curl -> curl.contains("replay\"")) == isDone);
            assertThat(
                            story.sentences()
                                    .contains(
                                            "The undo of its step is acknowledged already: replayed, it would be done once more."))
                    .isEqualTo(isDone);
        }
    }

    /** Sent again it would come back; only who has looked may say whether it was done. */
    @Test
    void whatIsTooOldIsNotSentAgainButReplayedOrSkippedByWhoeverHasLooked() {
        Story story = told(saga(
                SagaStatus.ACTIVE,
                List.of(step("pay", "Refund", StepStatus.SENT)),
                List.of(new BlockedOn("m-pay", "Dopay", "billing", "too-old")),
                List.of()));

        assertThat(String.join(" ", story.sentences()))
                .contains("too old for billing to know whether it was carried out");
        assertThat(requests(story))
                .containsExactly(
                        "billing curl -sS \"/safebunnypoison/m-pay\"",
                        "shop curl -sS \"/safebunny/sagas/c\"",
                        "billing curl -sS '{\"action\":\"replay\",\"dryRun\":\"true\",\"reason\":\"REASON\",\"forced\":\"true\"}' \"/safebunnypoison/m-pay\"",
                        "shop curl -sS '{\"action\":\"skip\",\"saga\":\"Order\",\"step\":\"pay\",\"reason\":\"REASON\"}' \"/safebunny/sagas/c\"",
                        "shop curl -sS '{\"action\":\"fail\",\"saga\":\"Order\",\"reason\":\"REASON\"}' \"/safebunny/sagas/c\"");
        assertThat(story.next())
                .extracting(Command::why)
                .noneMatch(why -> why.startsWith("the usual repair"))
                .anyMatch(why -> why.startsWith("only if `Dopay` (m-pay) was not carried out, "))
                .anyMatch(why -> why.startsWith("only if `Dopay` (m-pay) was carried out, "));
    }

    /** Its node offers no replay of its own, which would be refused. A saga that undoes its steps has failed already. */
    @Test
    void anUndoThatIsTooOldIsReplayedOrSkipped() {
        Message undo = message(State.SET_ASIDE, null, List.of(), List.of());
        Saga saga = saga(
                SagaStatus.COMPENSATION_FAILED,
                List.of(new Step("pay", "m-0", "Pay", "Capture", StepStatus.UNDOING)),
                List.of(new BlockedOn("m-1", "Capture", "shop", "too-old")),
                List.of());

        assertThat(requests(Telling.of("c", NOW, List.of(of(List.of(saga), List.of(undo), List.of(), List.of())))))
                .containsExactly(
                        "shop curl -sS \"/safebunnypoison/m-1\"",
                        "shop curl -sS \"/safebunny/sagas/c\"",
                        "shop curl -sS '{\"action\":\"replay\",\"dryRun\":\"true\",\"reason\":\"REASON\",\"forced\":\"true\"}' \"/safebunnypoison/m-1\"",
                        "shop curl -sS '{\"action\":\"skip\",\"saga\":\"Order\",\"step\":\"pay\",\"reason\":\"REASON\"}' \"/safebunny/sagas/c\"");
    }

    /** A large state leaves no room for fifty events. */
    @Test
    void aHistoryThatWasCutDoesNotProveThatSomethingHasNotCome() {
        Saga cut = new Saga(
                "Order",
                "c",
                SagaStatus.ACTIVE,
                NOW.minusSeconds(600),
                NOW.minusSeconds(60),
                null,
                List.of(),
                Map.of(),
                List.of(),
                null,
                List.of(new Awaited("Captured", List.of("billing"))),
                List.of(new SagaView.Event(NOW.minusSeconds(60), "took Shipped m-9")));

        assertThat(told(cut).sentences())
                .contains(
                        "It last changed at 10:40:00Z. Of what it takes, what is left of its history (one event) does not name these: `Captured` from billing; what comes more than once is not in this list.");
    }

    @Test
    void aFailedSagaSaysWhatWasNotUndone() {
        assertThat(told(saga(
                                SagaStatus.FAILED,
                                List.of(
                                        step("reserve", "Free", StepStatus.UNDONE),
                                        step("pay", "Refund", StepStatus.SKIPPED),
                                        step("mail", null, StepStatus.SENT)),
                                List.of(),
                                List.of()))
                        .sentences())
                .containsExactly(
                        "Order c of shop failed (\"declined\"), and has ended, with one step undone; step pay was skipped by an operator, and no node has acknowledged that it was undone; step mail has no undo; it last changed at 10:40:00Z.");
    }

    @Test
    void whatBelongsToAnEndedSagaIsNotOfferedForReplay() {
        Message message = message(State.SET_ASIDE, null, List.of(), List.of());
        Story story = Telling.of(
                "c",
                NOW,
                List.of(of(
                        List.of(saga(SagaStatus.FAILED, List.of(), List.of(), List.of())),
                        List.of(message),
                        List.of(),
                        List.of())));

        assertThat(story.sentences())
                .contains(
                        "shop has set `Capture` (m-1) aside at 10:40:00Z.",
                        "Its record does not tell why; its copy in the poison queue does.",
                        "The saga with its correlation id has ended: if this message is handled again, it may do what nobody waits for any more.");
        assertThat(story.next())
                .extracting(Command::curl)
                .noneMatch(curl -> curl.contains("replay\"") || curl.contains("discard\""));
        assertThat(told(message).next()).extracting(Command::curl).anyMatch(curl -> curl.contains("replay\""));
    }

    /** Somebody has done by hand what it is for. */
    @Test
    void whatBelongsToASkippedStepIsNotOfferedForReplay() {
        Message command = message(State.SET_ASIDE, null, List.of(), List.of());
        for (Step skipped : List.of(
                new Step("pay", "m-1", "Capture", "Refund", StepStatus.SKIPPED),
                new Step("pay", "m-0", "Pay", "Capture", StepStatus.SKIPPED))) {
            Story story = Telling.of(
                    "c",
                    NOW,
                    List.of(of(
                            List.of(saga(SagaStatus.ACTIVE, List.of(skipped), List.of(), List.of())),
                            List.of(command),
                            List.of(),
                            List.of())));

            assertThat(story.sentences())
                    .contains(
                            "Its step pay was skipped by an operator: if its answer does not come all the same, the saga goes on only by something else.",
                            "Its step was skipped by an operator, as done by hand or not wanted. Discard it if nobody has: a replay is refused, and a forced one would do it all the same.");
            assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("replay\""));
        }
    }

    /** A replay of it asks nobody, or somebody who does not know it. */
    @Test
    void whatHasTheTypeOfASkippedStepIsNotOfferedForReplay() {
        Step skipped = new Step("pay", "m-0", "Capture", "Refund", StepStatus.SKIPPED);
        Story story = Telling.of(
                "c",
                NOW,
                List.of(of(
                        List.of(saga(SagaStatus.ACTIVE, List.of(skipped), List.of(), List.of())),
                        List.of(message(State.SET_ASIDE, null, List.of(), List.of())),
                        List.of(),
                        List.of())));

        assertThat(story.sentences())
                .contains(
                        "A step with this type was skipped by an operator, and whether it is that of this message is not known: replayed, it may be done all the same.");
        assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("replay\""));
    }

    /** Which of both it undoes, no record says. */
    @Test
    void anUndoOfTwoStepsOfWhichOneWasSkippedIsNotOfferedForReplay() {
        Saga saga = saga(
                SagaStatus.COMPENSATING,
                List.of(
                        new Step("pay", "m-0", "Pay", "Capture", StepStatus.SKIPPED),
                        new Step("charge", "m-2", "Charge", "Capture", StepStatus.UNDOING)),
                List.of(),
                List.of());
        Message undo = message(State.SET_ASIDE, null, List.of(), List.of());
        Story story = Telling.of("c", NOW, List.of(of(List.of(saga), List.of(undo), List.of(), List.of())));

        assertThat(story.sentences())
                .contains(
                        "One of the steps with this undo was skipped by an operator, and which of them it undoes is not known: replayed, it may be done all the same.")
                .noneMatch(sentence -> sentence.startsWith("Its step was skipped"));
        assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("replay\""));
    }

    private static Story ofSetAside(@Nullable String problem, boolean isRelated, Asked other, NodeStory... parts) {
        List<NodeStory> all = new ArrayList<>(
                List.of(at("billing", List.of(message(State.SET_ASIDE, null, List.of(), List.of())), List.of())));
        all.addAll(List.of(parts));
        Asked own = new Asked("billing", "billing-1", "", true, NOW, null);
        return Telling.of("c", NOW, new Gathered(problem, all, List.of(own, other), isRelated));
    }

    /** Somebody may have skipped its step, as done by hand. */
    @Test
    void aReplayIsNotTheUsualRepairWhileTheNodeOfItsSagaHasNotTold() {
        Asked silent = new Asked("orders", "orders-1", "", false, NOW, "has not answered within 2 s");
        Asked told = new Asked("orders", "orders-1", "", true, NOW, null);
        NodeStory cut = at("orders", List.of(), List.of(new Looked("its reply to another node", 0, "has no room")));
        Map<String, Story> stories = Map.of(
                "orders has not told all", ofSetAside(null, true, silent),
                "orders has not told all ", ofSetAside(null, true, told, cut),
                "other nodes could not be asked, or not be heard", ofSetAside("refused", true, silent),
                "other nodes were not asked for its correlation id",
                        ofSetAside(null, false, told, at("orders", List.of(), List.of())));
        stories.forEach((why, story) -> {
            assertThat(story.sentences())
                    .contains("Whether a saga still waits for it is not known, because %s.".formatted(why.strip()));
            assertThat(story.next())
                    .filteredOn(command -> command.curl().contains("replay\""))
                    .singleElement()
                    .extracting(Command::why)
                    .asString()
                    .startsWith("only if nobody has had it done in another way: %s. Once the cause is mended, "
                            .formatted(why.strip()));
        });

        Looked none = new Looked("sagas", 0, "not looked at: this node has no store");
        for (NodeStory whole : List.of(at("orders", List.of(), List.of()), at("orders", List.of(), List.of(none)))) {
            Story story = ofSetAside(null, true, told, whole);
            assertThat(story.sentences()).noneMatch(sentence -> sentence.startsWith("Whether a saga"));
            assertThat(story.next())
                    .extracting(Command::why)
                    .anyMatch(text -> text.startsWith("the usual repair, once the cause is mended, "));
        }
    }

    /** Whoever has just asked the node asks the wrong instance again. */
    @Test
    void textsOfAnotherInstanceOfTheOwnNodeAreAskedForThere() {
        Message failing = message(State.WAITING, null, List.of(failure(10)), List.of());
        NodeStory own = at("billing", List.of(), List.of());
        NodeStory other = new NodeStory(
                "billing",
                "billing-2",
                NOW,
                "correlation id",
                List.of("c"),
                List.of(),
                List.of(),
                List.of(failing),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                false);
        List<Asked> asked = List.of(
                new Asked("billing", "billing-1", "", true, NOW, null),
                new Asked("billing", "billing-2", "", true, NOW, null));
        Story story = Telling.of("c", NOW, new Gathered(null, List.of(own, other), asked, true));

        assertThat(story.sentences().get(0))
                .contains("(GatewayTimeout; ask instance billing-2 of billing for its text)");
        assertThat(story.next())
                .extracting(Command::why)
                .contains(
                        "what its exceptions say, which only instance billing-2 of billing tells, unless safebunny.poison.exception-details is type-only there");
    }

    /** Only messages have our types; reasons are of people. */
    @Test
    void whatPeopleHaveWrittenIsNotTakenForOurTypes() {
        Saga saga = new Saga(
                "Order",
                "c",
                SagaStatus.ACTIVE,
                NOW,
                NOW,
                null,
                List.of(),
                Map.of(),
                List.of(),
                null,
                List.of(),
                List.of(
                        new SagaView.Event(NOW, "took BunnyTimeout t-1"),
                        new SagaView.Event(NOW, "stuck: BunnyTimeout t-1 was set aside"),
                        new SagaView.Event(NOW, "compensation failed: BunnyUndone u-1 was set aside"),
                        new SagaView.Event(NOW, "BunnyUndone u-1 was set aside by shop: handler-failed"),
                        new SagaView.Event(NOW, "RETRY: BunnyTimeout hangs, and BunnyUndone too"),
                        new SagaView.Event(NOW, "failed: took BunnyTimeout t-1 for real")));

        assertThat(told(saga).timeline())
                .extracting(Story.Event::what)
                .contains(
                        "Order took the end of a timeout t-1",
                        "Order stuck: the end of a timeout t-1 was set aside",
                        "Order compensation failed: the acknowledgement of an undo u-1 was set aside",
                        "Order the acknowledgement of an undo u-1 was set aside by shop: handler-failed",
                        "Order RETRY: BunnyTimeout hangs, and BunnyUndone too",
                        "Order failed: took BunnyTimeout t-1 for real");
    }

    /** An operator's pause is ended by whoever knows its reason; one that the breaker has begun ends by itself. */
    @Test
    void onlyWhatAnOperatorHasPausedIsOfferedToBeResumed() {
        Saga saga = saga(SagaStatus.ACTIVE, List.of(), List.of(), List.of(new Awaited("Captured", List.of("shop"))));
        Pause asked = new Pause("Captured", "OPEN", NOW, NOW.plusSeconds(60), "charges twice", "ann", "75 % failed");
        Pause opened = new Pause("Captured", "OPEN", NOW, NOW.plusSeconds(60), "75 % failed", null, null);
        Pause notStarted = new Pause("Captured", "OPEN", NOW, null, "not started", null, null);

        Story paused = Telling.of("c", NOW, List.of(of(List.of(saga), List.of(), List.of(asked), List.of())));
        assertThat(paused.sentences())
                .contains(
                        "`Captured` has been paused since 10:41:00Z, until 10:42:00Z, by ann (\"charges twice\"), and its breaker has opened by itself (\"75 % failed\"), at instance shop-1 of shop.");
        assertThat(requests(paused))
                .containsExactly(
                        "shop curl -sS \"/safebunny/breakers/Captured\"",
                        "shop curl -sS \"/safebunny/sagas/c\"",
                        "shop curl -sS '{\"state\":\"closed\",\"reason\":\"REASON\"}' \"/safebunny/breakers/Captured\"");
        assertThat(requests(Telling.of("c", NOW, List.of(of(List.of(saga), List.of(), List.of(opened), List.of())))))
                .noneMatch(request -> request.contains("closed"));
        assertThat(requests(
                        Telling.of("c", NOW, List.of(of(List.of(saga), List.of(), List.of(notStarted), List.of())))))
                .last()
                .asString()
                .contains("closed");
    }

    /** What waits for a person is never what is cut. */
    @Test
    void ofManyMessagesThoseThatWaitForAPersonAreToldFirst() {
        List<Message> messages = new ArrayList<>();
        for (int i = 10; i < 40; i++) {
            messages.add(new Message(
                    "a-" + i, "c", "Capture", State.HANDLING, 0, null, NOW.minusSeconds(i), List.of(), List.of(), 0));
            messages.add(new Message(
                    "b-" + i, "c", "Refund", State.WAITING, 0, null, NOW, List.of(failure(i)), List.of(), 0));
        }
        messages.add(new Message("z", "c", "Charge", State.SET_ASIDE, 0, null, NOW, List.of(failure(1)), List.of(), 0));
        List<String> sentences = Telling.of("c", NOW, List.of(part(List.of(), messages, List.of())))
                .sentences();

        assertThat(sentences.get(0)).startsWith("shop has set `Charge` (z) aside");
        assertThat(sentences.get(1)).startsWith("shop has failed to handle `Refund` (b-10) once");
        assertThat(sentences)
                .last()
                .isEqualTo(
                        "shop has 41 more messages: `Capture` being handled (30) and `Refund` waiting to be handled again (11).");
    }

    /** Whatever clock a store has: what has happened is never told as if it were to come. */
    @Test
    void whatHasHappenedIsNotExpectedAndWhatIsOverdueIs() {
        Message ahead =
                new Message("m-1", "c", "Capture", State.HANDLED, 0, null, NOW.plusSeconds(2), List.of(), List.of(), 0);
        Story story = Telling.of(
                "c",
                NOW,
                List.of(of(
                        List.of(),
                        List.of(ahead),
                        List.of(),
                        List.of(
                                new Scheduled("s-1", ScheduledMessage.Status.WAITING, NOW.minusSeconds(5)),
                                new Scheduled("s-2", ScheduledMessage.Status.PUBLISHED, NOW.minusSeconds(5))))));

        assertThat(story.timeline())
                .extracting(Story.Event::what, Story.Event::expected)
                .containsExactly(
                        tuple("`Capture` (m-1) was handled", false), tuple("scheduled message s-1 is overdue", true));
    }

    /** All in one millisecond, and against the order of all names. */
    @Test
    void causesAreToldBeforeTheirEffects() {
        Message first = new Message(
                "z",
                "c",
                "Zebra",
                State.HANDLED,
                0,
                null,
                NOW,
                List.of(),
                List.of(new Publication("a", "Ant", true, null)),
                0);
        Message second = new Message(
                "a",
                "c",
                "Ant",
                State.SET_ASIDE,
                0,
                null,
                NOW,
                List.of(failure(0)),
                List.of(new Publication("0", "Bee", true, null)),
                0);
        Saga saga = new Saga(
                "Order",
                "c",
                SagaStatus.ACTIVE,
                NOW,
                NOW,
                null,
                List.of(),
                Map.of(),
                List.of(),
                null,
                List.of(),
                List.of(
                        new SagaView.Event(NOW, "took Zebra z"),
                        new SagaView.Event(NOW, "step pay: Ant"),
                        new SagaView.Event(NOW, "Ant a was set aside by shop: handler-failed")));
        NodeStory part = new NodeStory(
                "shop",
                "shop-1",
                NOW,
                "correlation id",
                List.of("c"),
                List.of(),
                List.of(saga),
                List.of(second, first),
                List.of(),
                List.of(new Unsent("a", "c", "Ant", 0, NOW, NOW)),
                List.of(),
                List.of(),
                false);

        assertThat(Telling.of("c", NOW, List.of(part)).timeline())
                .extracting(Story.Event::what)
                .containsExactly(
                        "Order took Zebra z",
                        "Order step pay: Ant",
                        "`Zebra` (z) had been handled, and the broker had what it published",
                        "`Ant` (a) was stored in the outbox",
                        "`Ant` (a) failed after 7 ms on host (GatewayTimeout)",
                        "`Ant` (a) was set aside",
                        "Order Ant a was set aside by shop: handler-failed");
    }

    /** A record tells when the broker had what it published; that was handled before. */
    @Test
    void whatWasHandledIsToldBeforeWhatFollowedFromIt() {
        Message first = handled("m-1", "Zebra", NOW.plusMillis(30), new Publication("m-2", "Ant", true, null));
        Message second = handled("m-2", "Ant", NOW.plusMillis(20), new Publication("m-3", "Bee", true, null));
        Message third = handled("m-3", "Bee", NOW.plusMillis(10));
        Message other = handled("m-4", "Cow", NOW.plusMillis(5));

        assertThat(told(third, second, other, first)).containsExactly("m-4", "m-1", "m-2", "m-3");
    }

    @Test
    void aClockThatIsWrongMovesNothingFar() {
        Message first = handled("m-1", "Zebra", NOW.plusSeconds(60), new Publication("m-2", "Ant", true, null));
        Message second = handled("m-2", "Ant", NOW);
        Message between = handled("m-3", "Cow", NOW.plusSeconds(30));

        assertThat(told(first, second, between)).containsExactly("m-2", "m-3", "m-1");
    }

    @Test
    void failuresAreToldBeforeTheSuccess() {
        Message first = new Message(
                "m-1",
                "c",
                "Zebra",
                State.HANDLED,
                0,
                null,
                NOW.plusMillis(300),
                List.of(failure(0)),
                List.of(new Publication("m-2", "Ant", true, null)),
                0);
        Message second = handled("m-2", "Ant", NOW.minusMillis(300));

        assertThat(told(second, first)).containsExactly("m-2", "m-1", "m-1");
        assertThat(timeline(first, second)).last().matches(event -> event.what().contains("had been handled"));
    }

    private static List<String> told(Message... messages) {
        return timeline(messages).stream().map(Story.Event::subject).toList();
    }

    private static List<Story.Event> timeline(Message... messages) {
        NodeStory part = new NodeStory(
                "shop",
                "shop-1",
                NOW,
                "correlation id",
                List.of("c"),
                List.of(),
                List.of(),
                List.of(messages),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                false);
        return Telling.of("c", NOW, List.of(part)).timeline();
    }

    private static Message handled(String id, String type, Instant at, Publication... published) {
        return new Message(id, "c", type, State.HANDLED, 0, null, at, List.of(), List.of(published), 0);
    }

    /** All that it does because of that in the same millisecond, too, but nothing after it. */
    @Test
    void whatASagaTakesIsToldAfterItsPublication() {
        Instant later = NOW.plusMillis(1);
        Saga saga = new Saga(
                "Order",
                "c",
                SagaStatus.COMPLETED,
                NOW,
                NOW,
                null,
                List.of(),
                Map.of(),
                List.of(),
                null,
                List.of(),
                List.of(
                        new SagaView.Event(NOW, "took Bee b"),
                        new SagaView.Event(NOW, "step next: Cat"),
                        new SagaView.Event(later, "completed")));
        List<Message> messages = List.of(
                handled("a", "Ant", NOW, new Publication("b", "Bee", true, null)),
                handled("z", "Zebra", NOW, new Publication("a", "Ant", true, null)),
                handled("y", "Yak", later));

        assertThat(Telling.of("c", NOW, List.of(of(List.of(saga), messages, List.of(), List.of())))
                        .timeline())
                .extracting(Story.Event::what)
                .containsExactly(
                        "`Zebra` (z) had been handled, and the broker had what it published",
                        "`Ant` (a) had been handled, and the broker had what it published",
                        "Order took Bee b",
                        "Order step next: Cat",
                        "Order completed",
                        "`Yak` (y) was handled");
    }

    private static Saga past(SagaStatus status, List<SagaView.Event> history) {
        return new Saga(
                "Order",
                "c",
                status,
                NOW.minusSeconds(600),
                NOW.minusSeconds(60),
                null,
                List.of(new Step("pay", "m-1", "Capture", "Refund", StepStatus.UNDOING)),
                Map.of(),
                List.of(),
                null,
                List.of(),
                history);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    took BunnyTimeout m-1                                 , took the end of a timeout m-1
                    took BunnyTimeoutReport m-1                           , took BunnyTimeoutReport m-1
                    took MyBunnyTimeout m-1                               , took MyBunnyTimeout m-1
                    stuck: BunnyUndone m-1 was set aside                  , stuck: the acknowledgement of an undo m-1 was set aside
                    BunnyRepair m-1 was set aside by shop: handler-failed , a repair by hand m-1 was set aside by shop: handler-failed
                    undoing step pay                                      , sent the undo of step pay
                    undone: step pay                                      , heard that the undo of step pay is done
                    nothing to undo for step pay                          , nothing to undo for step pay
                    """)
    void itsHistoryIsToldInPlainWords(String stored, String told) {
        Saga saga = past(SagaStatus.COMPENSATING, List.of(new SagaView.Event(NOW, stored)));

        assertThat(told(saga).timeline()).extracting(Story.Event::what).containsExactly("Order " + told);
    }

    @Test
    void anUndoThatWasSentAgainIsSaidToBeSentThen() {
        Saga saga = past(
                SagaStatus.COMPENSATING,
                List.of(
                        new SagaView.Event(NOW.minusSeconds(120), "undoing step pay"),
                        new SagaView.Event(NOW.minusSeconds(60), "undoing step pay"),
                        new SagaView.Event(NOW.minusSeconds(30), "undoing step other")));

        assertThat(told(saga).sentences().get(0))
                .contains("It has sent `Refund`, the undo of step pay, at 10:40:00Z, and waits for");
    }

    /** As another node may tell it: nobody proves that it makes sense. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void causesThatAreACircleAreToldAllTheSame() {
        Message one = message(State.HANDLED, null, List.of(), List.of(new Publication("m-1", "Capture", true, null)));

        assertThat(told(one).timeline()).hasSize(1);
    }

    @Test
    void aLongStoryIsCutAndSaysSo() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            messages.add(new Message(
                    "m-" + i,
                    "c",
                    "Capture",
                    State.HANDLED,
                    0,
                    null,
                    NOW.minusSeconds(i),
                    List.of(failure(i), failure(i + 1), failure(i + 2)),
                    List.of(),
                    0));
        }
        Story story = Telling.of("c", NOW, List.of(part(List.of(), messages, List.of())));

        assertThat(story.timeline())
                .hasSize(1_000)
                .last()
                .extracting(Story.Event::at)
                .isEqualTo(NOW);
        assertThat(story.sentences()).contains("600 more events are left out of the timeline, the earliest ones.");
        assertThat(story.toMermaid())
                .hasSizeBetween(49_000, 50_000)
                .containsPattern(
                        "    Note over n0: \\d+ earlier events are left out, because Mermaid draws 50000 characters at most\n")
                .endsWith("2026-03-02T10#58;41#58;00Z #96;Capture#96; (m-0) was handled\n");
    }

    /** As a segment of a path, dots would lead elsewhere, and a slash is refused by many servers. */
    @ParameterizedTest
    @ValueSource(strings = {"..", ".", "a/b", "a;b", "a b", "ä"})
    void anIdThatNoPathCanHaveIsAParameter(String id) {
        Message message = new Message(id, id, "Capture", State.SET_ASIDE, 0, null, NOW, List.of(), List.of(), 0);
        Story story = Telling.of(id, NOW, List.of(part(List.of(), List.of(message), List.of())));

        assertThat(requests(story))
                .hasSize(2)
                .anyMatch(request -> request.contains("/safebunnypoison?messageId="))
                .anyMatch(request -> request.contains("\"messageId\":\"") && request.endsWith("/safebunnypoison\""));
    }

    private static Story told(Message message) {
        return Telling.of("m-1", NOW, List.of(part(List.of(), List.of(message), List.of())));
    }

    private static Failure failure(int seconds) {
        return new Failure(NOW.minusSeconds(seconds), "host", 7, "io.shop.GatewayTimeout", null, NOW.plusSeconds(5));
    }

    @Test
    void aMessageThatIsBeingHandled() {
        assertThat(told(message(State.HANDLING, NOW.plusSeconds(30), List.of(), List.of()))
                        .sentences())
                .containsExactly("shop is handling `Capture` (m-1); its claim was made or last renewed at 10:40:00Z.");
    }

    @Test
    void aClaimThatHasFallenSilent() {
        assertThat(told(message(State.HANDLING, NOW.minusSeconds(1), List.of(), List.of()))
                        .sentences())
                .containsExactly(
                        "shop has begun to handle `Capture` (m-1); its claim was made or last renewed at 10:40:00Z, and was to be renewed by 10:40:59Z: its instance may have died. Another one takes over when the message is delivered again.");
    }

    @Test
    void aMessageThatCameBackWithoutAnAttempt() {
        assertThat(told(message(State.WAITING, null, List.of(), List.of())).sentences())
                .containsExactly(
                        "shop has returned `Capture` (m-1) to its queue at 10:40:00Z without a failed attempt.",
                        "Its type is not paused at instance shop-1 of shop.");
    }

    @Test
    void moreFailuresThanARecordKeeps() {
        List<Failure> five =
                IntStream.of(50, 40, 30, 20, 10).mapToObj(TellingTest::failure).toList();

        assertThat(told(message(State.WAITING, null, five, List.of())).sentences())
                .containsExactly(
                        "shop has failed to handle `Capture` (m-1) at least 5 times; the last attempt failed at 10:40:50Z (GatewayTimeout).",
                        "The next attempt is due at 10:41:05Z.",
                        "Its type is not paused at instance shop-1 of shop.");
    }

    @Test
    void publicationsThatTheBrokerRefuses() {
        Story story = told(message(
                State.UNSENT,
                null,
                List.of(),
                List.of(
                        new Publication("p-1", "Captured", true, null),
                        new Publication("p-2", "Receipt", false, null))));

        assertThat(story.sentences())
                .startsWith(
                        "shop has handled `Capture` (m-1) by 10:40:00Z.",
                        "Its record does not say that the broker has `Receipt` (p-2).");
        assertThat(story.next())
                .extracting(Command::curl)
                .singleElement()
                .asString()
                .endsWith("/safebunny/publisher\"");
    }

    /** The broker's confirms are noted in batches: what is young is no trouble. */
    @Test
    void publicationsWhoseConfirmsAreNotNotedYet() {
        Message young = new Message(
                "m-1",
                "c",
                "Capture",
                State.UNSENT,
                0,
                null,
                NOW.minusMillis(20),
                List.of(),
                List.of(new Publication("p-2", "Receipt", false, null)),
                0);

        assertThat(told(young).sentences())
                .startsWith(
                        "shop has handled `Capture` (m-1) by 10:40:59Z.",
                        "Its record does not say yet that the broker has `Receipt` (p-2).");
        assertThat(told(young).next()).isEmpty();
        assertThat(Telling.of("c", NOW, List.of(part(List.of(), List.of(young), List.of())))
                        .sentences())
                .containsExactly("shop has handled one message of it: `Capture`.");
    }

    @Test
    void aStepThatWasUndone() {
        assertThat(told(message(State.UNDONE, null, List.of(), List.of())).sentences())
                .containsExactly(
                        "shop does not handle `Capture` (m-1) any more: the undo of its step had arrived there by 10:40:00Z, and no record says that it had been handled before.");
    }

    @Test
    void whatWaitsInTheOutboxWhileTheBrokerIsAway() {
        Unsent unsent = new Unsent("m-1", "c", "OrderPlaced", 3, NOW.minus(Duration.ofDays(1)), NOW.plusSeconds(90));
        Story story = Telling.of(
                "c", NOW, List.of(part(List.of("the broker cannot be used: refused."), List.of(), List.of(unsent))));

        assertThat(story.sentences())
                .containsExactly(
                        "At shop, the broker cannot be used: refused.",
                        "`OrderPlaced` (m-1) has been in the outbox of shop since 2026-03-01 10:41:00Z, and the broker has not confirmed it: the relay has failed 3 times. It is sent at 10:42:30Z, if not before.");
        assertThat(story.timeline()).extracting(Story.Event::expected).containsExactly(false, true);
    }

    /** Whatever order a store gives: what happened in one millisecond has an order of its own. */
    @Test
    void theSameIsAlwaysToldInTheSameOrder() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            messages.add(new Message(
                    "m-" + i,
                    "c",
                    "T" + i % 3,
                    List.of(State.values()).get(i % 6),
                    0,
                    null,
                    NOW,
                    List.of(),
                    List.of(),
                    0));
        }
        Story story = Telling.of("c", NOW, List.of(part(List.of(), messages, List.of())));
        Collections.shuffle(messages, new Random(7));
        Story again = Telling.of("c", NOW, List.of(part(List.of(), messages, List.of())));

        assertThat(again.sentences()).isEqualTo(story.sentences());
        assertThat(again.timeline()).isEqualTo(story.timeline()).hasSize(40);
        assertThat(again.next()).isEqualTo(story.next());
        assertThat(again.toMermaid()).isEqualTo(story.toMermaid());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\n    participant evil",
                "a;b",
                "end",
                "END of it",
                "%%{init: {}}%%",
                "<script>alert(1)</script>",
                "#35;",
                "->>n1: hi",
                "\"quoted\" `code` $(id) ' \\",
                "größe 世界 🐇 \u202E"
            })
    void nothingThatOthersWroteBecomesPartOfTheDiagramOrOfACommand(String text) {
        Failure failure = new Failure(NOW.minusSeconds(1), text, 1, text, text, null);
        Message message = new Message(text, text, text, State.SET_ASIDE, 0, null, NOW, List.of(failure), List.of(), 0);
        Story story = Telling.of(text, NOW, List.of(part(List.of(text), List.of(message), List.of())));

        assertThat(story.toMermaid().lines().toList())
                .hasSize(4)
                .allMatch(line -> line.matches(
                        "sequenceDiagram|    participant n0 as shop|    Note over n0: ([A-Za-z0-9 .,_()/-]|#[0-9]+;)*"))
                .noneMatch(line -> line.matches("(?i).*(?<![#0-9;a-z])end(?![a-z]).*"));
        assertThat(story.next())
                .extracting(Command::curl)
                .allMatch(
                        curl -> curl.matches(
                                "curl -sS (-H 'Content-Type: application/json' -d '[^']*' )?\"\\$\\{ACTUATOR:-http://localhost:8080/actuator}/[A-Za-z0-9%._/?=-]*\""));
        assertThat(story.sentences()).allMatch(sentence -> sentence.lines().count() == 1);
    }

    private static NodeStory at(String node, List<Message> messages, List<Looked> looked) {
        return new NodeStory(
                node,
                node + "-1",
                NOW,
                "correlation id",
                List.of("c"),
                List.of(),
                List.of(),
                messages,
                List.of(),
                List.of(),
                List.of(),
                looked,
                false);
    }

    private static String told(List<NodeStory> parts) {
        List<Asked> asked = parts.stream()
                .map(part -> new Asked(part.node(), part.instance(), "", true, NOW, null))
                .toList();
        return String.join(
                " ",
                Telling.of("c", NOW, new Gathered(null, parts, asked, true)).sentences());
    }

    /** Of a part that lacks something, absence says nothing. */
    @Test
    void onlyWhatAllHaveLookedForIsSaidToBeTakenByNobody() {
        Message published =
                message(State.HANDLED, null, List.of(), List.of(new Publication("m-2", "Captured", true, null)));
        NodeStory orders = at("orders", List.of(published), List.of());
        Looked cut = new Looked("its reply to another node", 0, "it has room for 256 KiB");

        assertThat(told(List.of(orders, at("billing", List.of(), List.of()))))
                .contains("no node that has answered has a record of: `Captured` (m-2) of orders");
        Looked none = new Looked("records", 0, "not looked at: this node has no store");
        assertThat(told(List.of(orders, at("storefront", List.of(), List.of(none)))))
                .contains("no node that has answered has a record of: `Captured` (m-2) of orders");
        assertThat(told(List.of(orders, at("billing", List.of(), List.of(cut)))))
                .doesNotContain("no node that has answered")
                .contains("billing, its reply to another node: it has room for 256 KiB");
    }

    @Test
    void aNodeThatCouldNotLookIsNotSaidToKnowNothing() {
        Looked away = new Looked("records", 0, "not looked at: its own node says why");
        Looked fine = new Looked("records", 0, null);
        NodeStory shop = new NodeStory(
                "shop",
                "shop-1",
                NOW,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(fine),
                false);
        NodeStory billing = new NodeStory(
                "billing",
                "billing-1",
                NOW,
                null,
                List.of(),
                List.of("the store does not answer"),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(away),
                false);

        assertThat(told(List.of(shop, billing)))
                .contains(
                        "Nothing is known of c at shop.",
                        "It could not be found out whether billing knows c: records: not looked at")
                .doesNotContain("nowhere to look", "It may be");
    }
}
