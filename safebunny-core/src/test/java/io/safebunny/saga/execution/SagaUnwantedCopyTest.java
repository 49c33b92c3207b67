// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.node.AnswersTo;
import io.safebunny.operations.NodeOperations;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.execution.Trips.Book;
import io.safebunny.saga.execution.Trips.Cancelled;
import io.safebunny.saga.execution.Trips.Fly;
import io.safebunny.saga.execution.Trips.FlyBack;
import io.safebunny.saga.execution.Trips.Paid;
import io.safebunny.saga.execution.Trips.TripSaga;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Commands and undos in the poison queue of a participant: whether their saga, at another node, still wants them decides what a replay does.
 */
class SagaUnwantedCopyTest {

    private static final String ID = "trip-1";

    private final SagaWorld world = new SagaWorld();
    private final Set<String> refused = new HashSet<>();

    @BeforeEach
    void start() {
        world.worksWhileWaiting = true;
        world.start("desk", List.of());
        world.start("trips", List.of(), new TripSaga());
        startAirline();
    }

    private void startAirline() {
        world.start(
                "airline",
                List.of(
                        SagaWorld.handler("trips", Fly.class, (payload, context) -> effect("Fly")),
                        SagaWorld.handler("trips", FlyBack.class, (payload, context) -> effect("FlyBack"))));
    }

    private void effect(String type) {
        if (refused.contains(type)) {
            throw new PoisonMessageException("as the test wants");
        }
        world.effects.add(type);
    }

    private void book() {
        publish(new Book("1"), ID);
    }

    private void publish(Object message, String id) {
        world.publish("desk", message, id);
        world.pass(Duration.ofSeconds(2));
    }

    private PoisonMessages poison() {
        return world.engine("airline").get(PoisonMessages.class);
    }

    private PoisonedMessage shown() {
        List<PoisonedMessage> all = poison().list(PoisonFilter.all()).messages();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static PoisonRequest request(PoisonFilter filter) {
        return PoisonRequest.of(filter, "tester", "what would it do?");
    }

    private PoisonOperation replay(PoisonRequest request) {
        PoisonOperation operation = poison().replay(request);
        world.pass(Duration.ofSeconds(5));
        assertThat(operation.progress().state()).isEqualTo(PoisonOperation.RunState.ENDED);
        return operation;
    }

    /** No replay moves it, except a forced one of just this message or of just this verdict. */
    private void requireKept(Verdict verdict, String... why) {
        List<String> before = List.copyOf(world.effects);
        PoisonedMessage shown = shown();
        assertThat(shown.verdict()).isEqualTo(verdict);
        assertThat(shown.explanation()).contains(why);
        PoisonFilter all = PoisonFilter.all();
        PoisonFilter selected = all.withMessageIds(Set.of(shown.messageId(), "another"));
        for (PoisonRequest request : List.of(
                request(all),
                request(all).asDryRun(),
                request(all).withForce(),
                request(all.withVerdict(Verdict.RUN)).withForce(),
                request(all.withVerdict(verdict)),
                request(selected),
                request(selected).withForce(),
                request(all.withMessageId(shown.messageId())))) {
            assertThat(replay(request).progress().moved()).as("%s", request).isZero();
        }
        assertThat(replay(request(all)).progress().verdicts()).containsOnlyKeys(verdict);
        assertThat(replay(request(all.withVerdict(verdict)).withForce().asDryRun())
                        .progress()
                        .moved())
                .isEqualTo(1);
        assertThat(replay(request(all.withMessageId(shown.messageId()))
                                .withForce()
                                .asDryRun())
                        .progress()
                        .moved())
                .isEqualTo(1);
        assertThat(world.effects).isEqualTo(before);
        assertThat(world.poison("airline")).hasSize(1);
    }

    private void discardAll() {
        poison().discard(request(PoisonFilter.all()));
        world.pass(Duration.ofSeconds(5));
        assertThat(world.poison("airline")).isEmpty();
    }

    private void requireDiscarded(Verdict verdict) {
        var discard = poison().discard(request(PoisonFilter.all().withVerdict(verdict)));
        world.pass(Duration.ofSeconds(5));
        assertThat(discard.progress().moved()).isEqualTo(1);
        assertThat(world.poison("airline")).isEmpty();
    }

    private void requireReplayed(String effect) {
        assertThat(shown().verdict()).isEqualTo(Verdict.RUN);
        refused.clear();
        assertThat(replay(request(PoisonFilter.all())).progress().moved()).isEqualTo(1);
        world.pass(Duration.ofSeconds(2));
        assertThat(world.effects).containsOnlyOnce(effect);
    }

    private SagaStatus status() {
        return world.sagas("trips").find("TripSaga", ID).orElseThrow().status();
    }

    private void setUndoAside() {
        book();
        refused.add("FlyBack");
        publish(new Cancelled("1"), ID);
        world.pass(Duration.ofSeconds(30));
        assertThat(status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
    }

    private void setCommandAside() {
        refused.add("Fly");
        book();
        world.pass(Duration.ofSeconds(30));
        assertThat(world.saga("trips", ID).blockedOn()).hasSize(1);
    }

    @Test
    void anUndoThatIsWaitedFor() {
        setUndoAside();

        assertThat(shown().explanation())
                .isEqualTo("It is handled from its first attempt; completed steps are not repeated.");
        requireReplayed("FlyBack");
        assertThat(status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void anUndoWhoseStepAnOperatorHasSkipped() {
        setUndoAside();
        world.sagas("trips").skip("TripSaga", ID, "flight", "undone by phone");
        world.pass(Duration.ofSeconds(2));
        assertThat(status()).isEqualTo(SagaStatus.FAILED);

        refused.clear();
        requireKept(
                Verdict.UNWANTED,
                "An operator has skipped step flight of saga TripSaga trip-1, as undone by hand or not wanted. Discard it: a forced replay by id or verdict does it all the same.");
        requireDiscarded(Verdict.UNWANTED);
        assertThat(world.effects).containsExactly("Fly");
    }

    /** Whoever names it has read why it is kept. */
    @Test
    void isReplayedByWhoeverNamesIt() {
        setUndoAside();
        world.sagas("trips").skip("TripSaga", ID, "flight", "undone by phone");
        world.pass(Duration.ofSeconds(2));

        refused.clear();
        PoisonRequest named =
                request(PoisonFilter.all().withVerdict(Verdict.UNWANTED)).withForce();
        assertThat(replay(named).progress().moved()).isEqualTo(1);
        assertThat(world.effects).containsExactly("Fly", "FlyBack");
        assertThat(world.poison("airline")).isEmpty();
    }

    @Test
    void aCommandWhoseStepAnOperatorHasSkipped() {
        setCommandAside();
        world.sagas("trips").skip("TripSaga", ID, "flight", "booked by phone");
        world.pass(Duration.ofSeconds(2));

        refused.clear();
        requireKept(
                Verdict.UNWANTED,
                "An operator has skipped step flight of saga TripSaga trip-1, as done by hand or not");
    }

    @Test
    void aCommandWhoseSagaHasFailed() {
        setCommandAside();
        pause("FlyBack"); // which bars the step when it comes
        publish(new Cancelled("1"), ID);
        assertThat(status()).isEqualTo(SagaStatus.COMPENSATING);

        requireKept(Verdict.UNWANTED, "Saga TripSaga trip-1 is COMPENSATING, and wants step flight no more");
    }

    private void pause(String type) {
        world.engine("airline")
                .get(NodeOperations.class)
                .pause(type, Duration.ofHours(1), Scope.INSTANCE, "not now", "tester");
    }

    /** Its effect may be wanted all the same, as that of a receipt. */
    @Test
    void aCommandWhoseSagaHasEndedWellWithoutIt() {
        setCommandAside();
        publish(new Paid("1"), ID);
        assertThat(status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(shown().explanation())
                .endsWith(
                        "Saga TripSaga trip-1 is COMPLETED without it: replay it only if its effect is still wanted.");
        requireReplayed("Fly");
    }

    @Test
    void aCommandThatItsSagaHasSentAgain() {
        setCommandAside();
        pause("Fly");
        Instant at = world.timeline.now();
        world.sagas("trips").retry("TripSaga", ID, "mended");
        world.pass(Duration.ofSeconds(2));
        assertThat(world.saga("trips", ID).blockedOn()).isEmpty();

        assertThat(shown().explanation())
                .endsWith(
                        "Saga TripSaga trip-1 was told at %s to send again what it waits for: if this is under way a second time, it is still handled once."
                                .formatted(at));
        assertThat(shown().verdict()).isEqualTo(Verdict.RUN);
        assertThat(replay(request(PoisonFilter.all())).progress().moved()).isEqualTo(1);
        refused.clear();
        world.pass(Duration.ofHours(2));
        assertThat(world.effects).containsExactly("Fly");
        assertThat(world.poison("airline")).isEmpty();
    }

    /** The saga has heard of that: what was sent again is not under way. */
    @Test
    void aCommandThatWasSetAsideAgainSince() {
        setCommandAside();
        world.sagas("trips").retry("TripSaga", ID, "mended");
        world.pass(Duration.ofSeconds(30));
        assertThat(world.poison("airline")).hasSize(2);

        assertThat(poison().list(PoisonFilter.all()).messages())
                .extracting(PoisonedMessage::verdict)
                .containsExactlyInAnyOrder(Verdict.RUN, Verdict.SUPERSEDED);
        assertThat(poison().list(PoisonFilter.all()).messages())
                .extracting(PoisonedMessage::explanation)
                .noneMatch(explanation -> explanation.contains("was told at"));
    }

    private void setUndoAsideTwice() {
        setUndoAside();
        world.sagas("trips").retry("TripSaga", ID, "mended");
        world.pass(Duration.ofSeconds(30));
        assertThat(world.poison("airline")).hasSize(2);
        refused.clear();
    }

    private PoisonedMessage older() {
        List<PoisonedMessage> all = poison().list(PoisonFilter.all()).messages();
        assertThat(all).hasSize(2);
        return Collections.min(all, Comparator.comparing(copy -> Objects.requireNonNull(copy.poisonedAt())));
    }

    @Test
    void theOlderCopyOfWhatIsWaitedForLeadsToTheNewerOne() {
        setUndoAsideTwice();

        assertThat(older().verdict()).isEqualTo(Verdict.SUPERSEDED);
        assertThat(older().explanation()).contains("replay the copy with the stored version");
    }

    /** Otherwise it would lead to the newer copy, and say that this is to be replayed. */
    @Test
    void theOlderCopyOfAnUndoWhoseStepAnOperatorHasSkipped() {
        setUndoAsideTwice();
        world.sagas("trips").skip("TripSaga", ID, "flight", "undone by phone");
        world.pass(Duration.ofSeconds(2));

        assertThat(poison().list(PoisonFilter.all()).messages()).hasSize(2).allSatisfy(copy -> {
            assertThat(copy.verdict()).isEqualTo(Verdict.UNWANTED);
            assertThat(copy.explanation())
                    .startsWith("An operator has skipped step flight of saga TripSaga trip-1")
                    .contains("Discard it")
                    .doesNotContain("replay the copy");
        });
        assertThat(older().explanation())
                .endsWith("Discard it: it is older than what is stored of its message, so no replay moves it.");
        assertThat(replay(request(PoisonFilter.all()).withForce()).progress().moved())
                .isZero();

        var discard = poison().discard(request(PoisonFilter.all().withVerdict(Verdict.UNWANTED)));
        world.pass(Duration.ofSeconds(5));
        assertThat(discard.progress().moved()).isEqualTo(2);
        assertThat(world.poison("airline")).isEmpty();
        assertThat(world.effects).containsExactly("Fly");
    }

    @Test
    void whoeverNamesItReplaysTheNewerCopyAlone() {
        setUndoAsideTwice();
        world.sagas("trips").skip("TripSaga", ID, "flight", "undone by phone");
        world.pass(Duration.ofSeconds(2));

        PoisonRequest named =
                request(PoisonFilter.all().withMessageId(older().messageId())).withForce();
        assertThat(replay(named).progress().moved()).isEqualTo(1);
        world.pass(Duration.ofSeconds(5));
        assertThat(world.effects).containsExactly("Fly", "FlyBack");
        assertThat(shown().verdict()).isEqualTo(Verdict.DONE);
    }

    @Test
    void theOlderCopyWhileTheNodeOfTheSagaDoesNotAnswer() {
        setUndoAsideTwice();
        world.cutOff("trips");

        assertThat(older().verdict()).isEqualTo(Verdict.SUPERSEDED);
        assertThat(older().explanation())
                .contains(
                        "look at that one, and at the saga, before you replay anything",
                        "Whether the saga that has sent it still wants it is not known: node trips does not say so")
                .doesNotContain("replay the copy");
    }

    /** The node has no record any more: a person has to force the replay, and does not know of the step. */
    private void makeTooOld() {
        WireMessage copy = world.poison("airline").get(0);
        discardAll();
        world.stop("airline");
        startAirline(); // with a store of its own
        Map<String, Object> headers = new LinkedHashMap<>(copy.headers());
        headers.put(
                Headers.SENT_AT, world.timeline.now().minus(Duration.ofDays(8)).toEpochMilli());
        world.replay(copy.withHeaders(headers), "airline-poison");
    }

    @Test
    void aCommandThatIsTooOldAndWhoseStepAnOperatorHasSkipped() {
        setCommandAside();
        makeTooOld();
        world.sagas("trips").skip("TripSaga", ID, "flight", "booked by phone");
        world.pass(Duration.ofSeconds(2));

        refused.clear();
        requireKept(Verdict.UNWANTED, "An operator has skipped step flight of saga TripSaga trip-1");
        requireDiscarded(Verdict.UNWANTED);
    }

    @Test
    void anUndoThatIsTooOldAndWhoseStepAnOperatorHasSkipped() {
        setUndoAside();
        makeTooOld();
        world.sagas("trips").skip("TripSaga", ID, "flight", "undone by phone");
        world.pass(Duration.ofSeconds(2));

        refused.clear();
        requireKept(Verdict.UNWANTED, "An operator has skipped step flight of saga TripSaga trip-1");
    }

    @Test
    void aCommandThatIsTooOldAndWaitedFor() {
        setCommandAside();
        makeTooOld();

        refused.clear();
        assertThat(shown().verdict()).isEqualTo(Verdict.TOO_OLD);
        assertThat(replay(request(PoisonFilter.all())).progress().moved()).isZero();
        assertThat(replay(request(PoisonFilter.all()).withForce()).progress().moved())
                .isEqualTo(1);
        assertThat(world.effects).containsExactly("Fly");
    }

    @Test
    void aCommandThatIsTooOldWhileTheNodeOfTheSagaDoesNotAnswer() {
        setCommandAside();
        makeTooOld();
        world.cutOff("trips");

        refused.clear();
        requireKept(
                Verdict.UNSURE,
                "It is older than safebunny.dedup.retention",
                "Check its effects",
                "Whether the saga that has sent it still wants it is not known: node trips does not say so");
    }

    @Test
    void anEditOfTheOlderCopyOfWhatIsNotWantedIsRefusedWithTheAdviceToDiscardIt() {
        setUndoAsideTwice();
        world.sagas("trips").skip("TripSaga", ID, "flight", "undone by phone");
        world.pass(Duration.ofSeconds(2));
        PoisonedMessage older = older();
        WireMessage copy = world.poison("airline").stream()
                .filter(wire -> Long.valueOf(
                                Objects.requireNonNull(older.poisonedAt()).toEpochMilli())
                        .equals(wire.headers().get(Headers.POISONED_AT)))
                .findFirst()
                .orElseThrow();
        discardAll();
        world.replay(copy, "airline-poison");

        assertThatThrownBy(() -> poison().edit(
                                new PoisonEdit(older.messageId(), older.digest(), copy.body(), "tester", "a typo")))
                .hasStackTraceContaining("An operator has skipped step flight of saga TripSaga trip-1")
                .hasStackTraceContaining("Discard it")
                .message()
                .doesNotContain("replay the copy");
    }

    @Test
    void theNodeOfTheSagaDoesNotAnswer() {
        setUndoAside();
        world.cutOff("trips");

        refused.clear();
        requireKept(
                Verdict.UNSURE,
                "Whether the saga that has sent it still wants it is not known: node trips does not say so (not heard of within a day");
        requireDiscarded(Verdict.UNSURE);
    }

    @Test
    void theNodeOfTheSagaAnswersNobody() {
        world.stop("trips");
        world.options = options -> options.withAnswersTo(AnswersTo.NONE);
        world.start("trips", List.of(), new TripSaga());
        setUndoAside();

        requireKept(Verdict.UNSURE, "answers nobody: safebunny.operations.answers=none is set there");
    }

    @Test
    void theNodeHasNoSuchSagaAnyMore() {
        setUndoAside();
        world.stop("trips");
        world.start("trips", List.of(), new TripSaga()); // in a store of its own

        requireKept(Verdict.UNSURE, "node trips has no saga with this step, or not any more");
    }

    /** One question for all of them: a node answers five times a second at most. */
    @Test
    void manyAreAskedForAtOnce() {
        refused.add("Fly");
        int many = 120;
        for (int i = 0; i < many; i++) {
            world.publish("desk", new Book("" + i), "trip-" + i);
        }
        world.pass(Duration.ofSeconds(30));
        world.sagas("trips").skip("TripSaga", "trip-7", "flight", "booked by phone");
        world.sagas("trips").skip("TripSaga", "trip-100", "flight", "booked by phone");
        world.pass(Duration.ofSeconds(2));
        refused.clear();

        PoisonOperation replay = replay(request(PoisonFilter.all()));

        assertThat(replay.progress().verdicts()).isEqualTo(Map.of(Verdict.RUN, many - 2, Verdict.UNWANTED, 2));
        assertThat(Duration.between(
                        replay.begunAt(),
                        Objects.requireNonNull(replay.progress().endedAt())))
                .isLessThan(Duration.ofSeconds(5));
        world.pass(Duration.ofSeconds(10));
        assertThat(world.effects).hasSize(many - 2);
        assertThat(world.poison("airline"))
                .extracting(WireMessage::correlationId)
                .containsExactlyInAnyOrder("trip-7", "trip-100");
    }

    /** As versions before have sent it, and as what no saga sends is. */
    @Test
    void aCommandWithoutTheMarkIsJudgedByItsRecordAlone() {
        setCommandAside();
        world.sagas("trips").skip("TripSaga", ID, "flight", "booked by phone");
        world.pass(Duration.ofSeconds(2));
        WireMessage copy = world.poison("airline").get(0);
        assertThat(copy.headers()).containsEntry(Headers.STEP, true);
        requireDiscarded(Verdict.UNWANTED);

        Map<String, Object> headers = new LinkedHashMap<>(copy.headers());
        headers.remove(Headers.STEP);
        world.replay(copy.withHeaders(headers), "airline-poison");

        assertThat(shown().verdict()).isEqualTo(Verdict.RUN);
    }
}
