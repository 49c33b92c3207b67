// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.ScheduledMessages;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.test.SagaScenario;
import io.safebunny.test.versions.Names.First;
import io.safebunny.test.versions.Names.Marked;
import io.safebunny.test.versions.Names.Named;
import io.safebunny.test.versions.Names.Second;
import io.safebunny.test.versions.Names.Third;
import io.safebunny.test.versions.VersionWorld.Instance;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What versions of bodies promise, in virtual time: while they change, nothing is lost, set aside or handled twice. */
@Timeout(120)
@Tag("once")
class VersionsTest {

    private static final String TYPE = "NameChanged";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final PublishOptions NONE = PublishOptions.none();

    private final VersionWorld world = new VersionWorld();
    private final Instance desk = world.start("desk");
    /** What was handled, in order. */
    private final List<Named> handled = new ArrayList<>();

    private final List<Integer> attempts = new ArrayList<>();
    /** Numbers of messages whose first attempt fails. */
    private final Set<Integer> failing = new HashSet<>();

    @AfterEach
    void close() {
        world.close();
    }

    private HandlerDefinition handler(Class<? extends Named> payload) {
        return VersionWorld.handler("desk", TYPE, payload, (message, context) -> {
            Named named = (Named) message;
            if (failing.remove(named.number())) {
                throw new IllegalStateException("not now");
            }
            handled.add(named);
            attempts.add(context.attempt());
        });
    }

    private Instance mailer(Class<? extends Named> payload) {
        return world.start("mailer", handler(payload));
    }

    private Instance ordered(Class<? extends Named> payload) {
        return world.start("mailer", handler(payload).ordered(Ordering.HOLD));
    }

    private void publish(Named payload) {
        desk.publishes(payload, NONE);
        world.advance(Duration.ZERO);
    }

    private static WireMessage wire(String id, int version, String contentType, String body) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put(Headers.MARKER, 1);
        if (version > 1) {
            headers.put(Headers.VERSION, version);
        }
        return new WireMessage(
                id, "c-1", TYPE, "desk", null, contentType, null, headers, body.getBytes(StandardCharsets.UTF_8));
    }

    private List<Integer> numbers() {
        return handled.stream().map(Named::number).toList();
    }

    private WireMessage poisoned() {
        return world.broker.messages("mailer-poison").get(0);
    }

    // ---- a rolling deploy

    /** Publishers are first each time, so that messages arrive at instances that cannot read them. */
    @Test
    void threeVersionsRollWhileTenThousandMessagesFlow() {
        int all = 10_000;
        int perStep = 250;
        IntStream.range(0, all).filter(number -> number % 40 == 7).forEach(failing::add);
        List<Class<? extends Named>> versions = List.of(First.class, Second.class, Third.class);
        List<Instance> running =
                new ArrayList<>(List.of(mailer(First.class), mailer(First.class), mailer(First.class)));
        List<Instance> old = new ArrayList<>();

        for (int step = 0; step < all / perStep; step++) {
            int published = Math.min(2, step / 12);
            if (step % 12 >= 2 && step % 12 <= 10 && step % 4 == 2 && published > 0) { // one instance after the other
                Instance leaves = running.remove(0);
                leaves.stops();
                old.add(leaves);
                running.add(mailer(versions.get(published)));
            }
            int first = step * perStep;
            desk.process().begin(() -> IntStream.range(first, first + perStep).forEach(number -> {
                Published unused = desk.engine().bunny().publish(of(published, number));
            }));
            world.advance(SECOND.multipliedBy(11));
        }
        world.advance(MINUTE.multipliedBy(5));

        assertThat(numbers()).hasSize(all).doesNotHaveDuplicates();
        assertThat(handled).allSatisfy(named -> assertThat(named.text()).isEqualTo("Ada No" + named.number()));
        assertThat(handled).anyMatch(First.class::isInstance).anyMatch(Second.class::isInstance);
        assertThat(handled).anyMatch(Third.class::isInstance);
        assertThat(world.poison("mailer")).isZero();
        assertThat(old.stream().mapToDouble(Instance::newer).sum())
                .as("came back")
                .isGreaterThan(100);
        assertThat(attempts).as("at no cost of an attempt").allMatch(attempt -> attempt <= 1);
    }

    private static Named of(int version, int number) {
        String last = "No" + number;
        return switch (version) {
            case 0 -> new First(number, "k", "Ada " + last);
            case 1 -> new Second(number, "k", "Ada", last);
            default -> new Third(number, "k", new Third.Person("Ada", last));
        };
    }

    @Test
    void whatIsNewerThanKnownComesBackEachMinuteAtNoCost() {
        Instance old = mailer(First.class);
        publish(new Second(1, "k", "Ada", "Lovelace"));
        publish(new First(2, "k", "Grace Hopper"));
        world.advance(Duration.ofMinutes(10).plus(SECOND));

        assertThat(old.newer()).isEqualTo(11);
        assertThat(numbers()).as("others go on").containsExactly(2);
        assertThat(world.poison("mailer")).isZero();

        Instance present = mailer(Second.class);
        world.advance(MINUTE.multipliedBy(5)); // the old one gets some of them, too
        old.stops();
        world.advance(MINUTE.multipliedBy(2));

        assertThat(numbers()).containsExactly(2, 1);
        assertThat(attempts).containsOnly(0);
        assertThat(present.newer()).isZero();
    }

    /** Whoever can read it decides. */
    @Test
    void aDeadlineIsLeftToTheInstanceThatKnowsTheVersion() {
        Instance old = mailer(First.class);
        desk.publishes(
                new Second(1, "k", "Ada", "Lovelace"),
                NONE.withDeadline(desk.process().timeline().now().plus(SECOND.multipliedBy(30))));
        world.advance(MINUTE.multipliedBy(5));
        assertThat(world.poison("mailer")).isZero();

        old.stops();
        mailer(Second.class);
        world.advance(MINUTE.multipliedBy(2));

        assertThat(poisoned().headers()).containsEntry(Headers.POISON_REASON, "expired");
    }

    // ---- in order

    @Test
    void inOrderItWaitsInItsPlace() {
        Instance old = ordered(First.class);
        publish(new First(1, "k", "Ada Lovelace"));
        publish(new Second(2, "k", "Grace", "Hopper"));
        publish(new First(3, "k", "Mary Shelley"));
        publish(new First(4, "other", "Emmy Noether"));
        world.advance(MINUTE.multipliedBy(5));

        assertThat(numbers()).containsExactly(1, 4);
        assertThat(world.poison("mailer")).isZero();

        old.stops();
        ordered(Second.class);
        world.advance(MINUTE.multipliedBy(2));

        assertThat(numbers()).containsExactly(1, 4, 2, 3);
        assertThat(attempts).containsOnly(0);
    }

    /** As with whatever waits in its place: the instance that consumes the queue holds no more than the prefetch. */
    @Test
    void inOrderOtherKeysGoOnWhileThereIsRoomInThePrefetch() {
        Instance old = ordered(First.class);
        IntStream.range(0, 9).forEach(number -> publish(new Second(number, "k" + number, "Ada", "L")));
        publish(new First(9, "k9", "Ada L"));
        world.advance(SECOND);
        assertThat(numbers()).containsExactly(9);

        publish(new Second(10, "k10", "Ada", "L"));
        publish(new First(11, "k11", "Ada L"));
        world.advance(MINUTE.multipliedBy(3));
        assertThat(numbers()).containsExactly(9);

        old.stops();
        ordered(Second.class);
        world.advance(MINUTE.multipliedBy(2));
        assertThat(numbers()).hasSize(12);
        assertThat(attempts).containsOnly(0);
        assertThat(world.poison("mailer")).isZero();
    }

    /** The first one fails once, so that the others wait in the store. */
    @Test
    void inOrderItWaitsInTheStoreToo() {
        failing.add(1);
        Instance old = ordered(First.class);
        publish(new First(1, "k", "Ada Lovelace"));
        publish(new Second(2, "k", "Grace", "Hopper"));
        publish(new First(3, "k", "Mary Shelley"));
        world.advance(MINUTE.multipliedBy(5));

        assertThat(numbers()).containsExactly(1);
        assertThat(world.poison("mailer")).isZero();

        ordered(Second.class);
        old.stops();
        world.advance(MINUTE.multipliedBy(5));

        assertThat(numbers()).containsExactly(1, 2, 3);
        assertThat(world.poison("mailer")).isZero();
    }

    // ---- every copy keeps the version: without it, a Marked is set aside

    @Test
    void aDelayedRetryKeepsIt() {
        failing.add(1);
        mailer(Marked.class);
        publish(new Marked(1, "k"));
        world.advance(MINUTE);

        assertThat(numbers()).containsExactly(1);
        assertThat(attempts).containsExactly(1);
    }

    @Test
    void aReplayKeepsIt() {
        mailer(First.class).stops();
        Instance refuses =
                world.start("mailer", VersionWorld.handler("desk", TYPE, Marked.class, (message, context) -> {
                    throw new PoisonMessageException("no");
                }));
        publish(new Marked(1, "k"));
        assertThat(poisoned().headers()).containsEntry(Headers.VERSION, 2);
        refuses.stops();

        Instance mailer = mailer(Marked.class);
        replay(mailer);

        assertThat(numbers()).containsExactly(1);
    }

    private void replay(Instance through) {
        through.process().begin(() -> {
            Object unused = through.engine()
                    .get(PoisonMessages.class)
                    .replay(PoisonRequest.of(PoisonFilter.all(), "tester", "deployed"));
        });
        world.advance(MINUTE);
    }

    @Test
    void aScheduledMessageKeepsIt() {
        mailer(Marked.class);
        desk.process().begin(() -> {
            Object unused = desk.engine()
                    .get(ScheduledMessages.class)
                    .schedule(new Marked(1, "k"), NONE.withDelay(Duration.ofHours(1)));
        });
        world.advance(Duration.ofHours(2));

        assertThat(numbers()).containsExactly(1);
    }

    @Test
    void aDelayedMessageKeepsIt() {
        mailer(Marked.class);
        desk.publishes(new Marked(1, "k"), NONE.withDelay(Duration.ofHours(1)));
        world.advance(Duration.ofHours(2));

        assertThat(numbers()).containsExactly(1);
    }

    @Test
    void whatIsParkedBehindOthersKeepsIt() {
        failing.add(1);
        ordered(Marked.class);
        publish(new Marked(1, "k"));
        publish(new Marked(2, "k"));
        publish(new Marked(3, "k"));
        world.advance(MINUTE.multipliedBy(2));

        assertThat(numbers()).containsExactly(1, 2, 3);
        assertThat(world.poison("mailer")).isZero();
    }

    @Test
    void whatIsForwardedToAShardKeepsIt() {
        world.start("mailer", handler(Marked.class).ordered(Ordering.HOLD).sharded(Sharding.into(4)));
        world.advance(MINUTE);
        IntStream.range(0, 20).forEach(number -> publish(new Marked(number, "k" + number)));
        world.advance(MINUTE);

        assertThat(numbers()).hasSize(20);
        assertThat(world.poison("mailer")).isZero();
    }

    @Test
    void commandsAndUndosOfASagaHaveIt() {
        List<Object> received = new ArrayList<>();
        world.start("orders", List.of(), List.of(OrderSaga.definition()));
        world.start(
                "warehouse",
                VersionWorld.handler("orders", "Reserve", Names.Reserve.class, (one, context) -> received.add(one)),
                VersionWorld.handler("orders", "Release", Names.Release.class, (one, context) -> received.add(one)));
        desk.publishes(new First(1, "k", "Ada Lovelace"), NONE.withCorrelationId("order-1"));
        world.advance(MINUTE);
        assertThat(received).containsExactly(new Names.Reserve("Lovelace"));

        desk.publishes(new OrderSaga.Cancelled("order-1"), NONE.withCorrelationId("order-1"));
        world.advance(MINUTE);

        assertThat(received).containsExactly(new Names.Reserve("Lovelace"), new Names.Release("Lovelace"));
        assertThat(world.poison("warehouse") + world.poison("orders")).isZero();
    }

    // ---- what a version is not

    /** The fingerprint is that of the body as it came. */
    @Test
    void aRepeatIsRecognisedAlthoughTheUpcastersHaveChanged() {
        WireMessage message =
                wire("m-1", 1, "application/json", "{\"number\":1,\"key\":\"k\",\"name\":\"Ada Lovelace\"}");
        Instance second = mailer(Second.class);
        world.send(desk, message);
        second.stops();
        world.advance(SECOND);

        Instance third = mailer(Third.class);
        world.send(desk, message);
        world.advance(MINUTE);

        assertThat(handled).containsExactly(new Second(1, "k", "Ada", "Lovelace"));
        assertThat(world.poison("mailer")).isZero();
        assertThat(third.meters()
                        .counter("safebunny.dedup", "type", TYPE, "outcome", "hit")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void anEarlierBodyThatIsNoJsonIsSetAside() {
        mailer(Second.class);
        world.send(desk, wire("m-1", 1, "application/cbor", "x"));

        assertThat(poisoned().headers())
                .containsEntry(Headers.POISON_REASON, "malformed-body")
                .hasEntrySatisfying(Headers.EXCEPTION_MESSAGE, text -> assertThat(text.toString())
                        .contains("content type"));
    }

    @Test
    void whatAnUpcasterCannotConvertIsSetAside() {
        mailer(Second.class);
        world.send(desk, wire("m-1", 1, "application/json", "{\"number\":1,\"key\":\"k\",\"name\":\"Ada\"}"));

        assertThat(poisoned().headers())
                .containsEntry(Headers.POISON_REASON, "malformed-body")
                .hasEntrySatisfying(Headers.EXCEPTION_MESSAGE, text -> assertThat(text.toString())
                        .contains("split(ObjectNode) threw java.lang.ArrayIndexOutOfBoundsException"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_000_001})
    void aVersionThatIsNoneIsSetAside(int version) {
        mailer(Second.class);
        WireMessage plain = wire("m-1", 1, "application/json", "{\"number\":1,\"key\":\"k\",\"name\":\"Ada L\"}");
        Map<String, Object> headers = new LinkedHashMap<>(plain.headers());
        headers.put(Headers.VERSION, version);
        world.send(desk, plain.withHeaders(headers));

        assertThat(poisoned().headers()).containsEntry(Headers.POISON_REASON, "missing-property");
        assertThat(handled).isEmpty();
    }

    // ---- poison messages

    private Instance withPoison() {
        Instance second = mailer(Second.class);
        world.send(
                desk,
                wire(
                        "m-1",
                        2,
                        "application/json",
                        "{\"number\":\"one\",\"key\":\"k\",\"first\":\"Ada\",\"last\":\"L\"}"));
        assertThat(world.poison("mailer")).isEqualTo(1);
        second.stops();
        world.advance(SECOND);
        return second;
    }

    private void edit(Instance through, List<RuntimeException> refusals) {
        WireMessage copy = poisoned();
        through.process().begin(() -> {
            try {
                Object unused = through.engine()
                        .get(PoisonMessages.class)
                        .edit(new PoisonEdit(
                                String.valueOf(copy.messageId()),
                                String.valueOf(copy.headers().get(Headers.POISON_DIGEST)),
                                "{\"number\":1,\"key\":\"k\",\"first\":\"Ada\",\"last\":\"L\"}"
                                        .getBytes(StandardCharsets.UTF_8),
                                "tester",
                                "a typing error"));
            } catch (RuntimeException e) {
                refusals.add(e);
            }
        });
        world.advance(MINUTE);
    }

    @Test
    void anEditedBodyHasTheVersionThatItHad() {
        withPoison();
        Instance third = mailer(Third.class);
        List<RuntimeException> refusals = new ArrayList<>();
        edit(third, refusals);
        assertThat(refusals).isEmpty();
        assertThat(poisoned().headers()).containsEntry(Headers.VERSION, 2);

        replay(third);

        assertThat(handled).containsExactly(new Third(1, "k", new Third.Person("Ada", "L")));
        assertThat(world.poison("mailer")).isZero();
    }

    @Test
    void anInstanceThatDoesNotKnowTheVersionMovesAndEditsNothing() {
        withPoison();
        Instance first = mailer(First.class);
        List<PoisonedMessage> shown = new ArrayList<>();
        first.process()
                .begin(() -> shown.addAll(first.engine()
                        .get(PoisonMessages.class)
                        .list(PoisonFilter.all())
                        .messages()));
        world.advance(MINUTE);

        assertThat(shown).singleElement().satisfies(copy -> {
            assertThat(copy.verdict()).isEqualTo(Verdict.UNKNOWN);
            assertThat(copy.explanation()).contains("has version 2, but this instance only knows 1");
        });
        List<RuntimeException> refusals = new ArrayList<>();
        edit(first, refusals);
        assertThat(refusals).singleElement().satisfies(e -> assertThat(e.getMessage())
                .contains("has version 2, but this instance only knows 1"));
        replay(first);
        assertThat(world.poison("mailer")).isEqualTo(1);
        assertThat(handled).isEmpty();
    }

    // ---- the test kit

    @Test
    void aScenarioDeliversBodiesOfAVersion() {
        SagaScenario scenario = SagaScenario.of(new OrderSaga())
                .whenDelivered("desk", TYPE, "{\"number\":1,\"key\":\"k\",\"name\":\"Ada Lovelace\"}");
        SagaScenario other = SagaScenario.of(new OrderSaga())
                .whenDelivered("desk", TYPE, 2, "{\"number\":1,\"key\":\"k\",\"first\":\"Ada\",\"last\":\"Lovelace\"}");

        assertThat(Objects.requireNonNull(scenario.view().state()))
                .isEqualTo(other.view().state());
        assertThat(String.valueOf(scenario.view().state())).contains("Lovelace");
    }
}
