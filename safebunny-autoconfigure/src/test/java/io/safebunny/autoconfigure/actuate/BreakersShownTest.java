// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyHandler;
import io.safebunny.ThrottledException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP: why a type is not handled, since when and until when, in health and endpoint alike. */
class BreakersShownTest {

    private static final String ONE = "safebunny/breakers/Charge";
    private static final String PAUSE = "{'state':'open','duration':'2h','reason':'provider is down'}";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Handler.class)
            .withPropertyValues(
                    "management.endpoint.health.show-details=always",
                    "safebunny.circuit-breaker.minimum-number-of-calls=4",
                    "safebunny.circuit-breaker.wait-duration-in-open-state=1h");

    record Charge(int cents) {}

    record Mail(String to) {}

    record Parcel(String to) {}

    static class Handler {
        private final CountDownLatch gate = new CountDownLatch(1);

        @BunnyHandler(from = "shop")
        void on(Parcel parcel) throws InterruptedException {
            gate.await();
        }

        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            if (charge.cents() > 0) {
                throw new IllegalStateException("the card\r\n4711 is \ud83d " + "refused ".repeat(1_000));
            }
        }

        @BunnyHandler(from = "shop")
        void on(Mail mail) {
            throw new ThrottledException(Duration.ofMinutes(7));
        }
    }

    private static void publish(AssertableReactiveWebApplicationContext context, Object payload) {
        context.getBean(Bunny.class).publish(payload);
    }

    private static void awaitState(AssertableReactiveWebApplicationContext context, String type, State state) {
        await().until(() -> context.getBean(BunnyCircuitBreaker.class).states().get(type) == state);
    }

    private static void open(AssertableReactiveWebApplicationContext context) {
        publish(context, new Charge(0));
        for (int i = 0; i < 3; i++) {
            publish(context, new Charge(1));
        }
        awaitState(context, "Charge", State.OPEN);
    }

    private static Map<String, Object> charge(AssertableReactiveWebApplicationContext context) {
        return known(read(get(context, ONE), "$"));
    }

    /** The endpoint says null where health says nothing, and tells more than of the breaker. */
    private static Map<String, Object> known(Map<String, Object> shown) {
        shown.keySet().removeAll(List.of("inWork", "rates", "criticalMillis"));
        shown.values().removeIf(Objects::isNull);
        return shown;
    }

    private static Map<String, Object> inHealth(AssertableReactiveWebApplicationContext context, String type) {
        return read(get(context, "health/safebunny/breakers"), "$.details." + type);
    }

    private static Duration between(Map<String, Object> shown) {
        return Duration.between(
                Instant.parse(String.valueOf(shown.get("since"))), Instant.parse(String.valueOf(shown.get("until"))));
    }

    @Test
    void oneThatOpenedByItselfTellsSinceWhenUntilWhenAndWhy() {
        NODE.run(context -> {
            Instant before = Instant.now();
            open(context);

            Map<String, Object> shown = charge(context);
            assertThat(shown)
                    .containsEntry("state", "OPEN")
                    .containsEntry("failureRate", 75.0)
                    .containsEntry("reason", "75.0 % of the latest messages failed")
                    .doesNotContainKey("pause");
            assertThat(Instant.parse(String.valueOf(shown.get("since")))).isBetween(before, Instant.now());
            assertThat(between(shown)).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
            assertThat(shown.get("lastFailure"))
                    .asString()
                    .contains("java.lang.IllegalStateException", "the card??4711 is ? refused")
                    .hasSizeLessThan(700);
            assertThat(inHealth(context, "Charge")).isEqualTo(shown);
        });
    }

    @Test
    void aTypeTellsHowFastItIsHandledAndHowLongThatTakes() {
        NODE.run(context -> {
            publish(context, new Charge(0));
            publish(context, new Charge(1));

            await().untilAsserted(() -> {
                Map<String, Object> type = read(get(context, "safebunny/breakers"), "$.Charge");
                Set<String> known = Stream.of(Status.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
                known.addAll(List.of("inWork", "rates", "criticalMillis"));
                assertThat(type).containsOnlyKeys(known);
                for (String positive :
                        List.of("rates.handled", "rates.setAside", "criticalMillis.p50", "criticalMillis.p95")) {
                    Object value = read(get(context, ONE), "$." + positive);
                    assertThat(value).as(positive).isInstanceOfSatisfying(Number.class, number -> assertThat(
                                    number.doubleValue())
                            .isPositive());
                }
                Map<String, Object> idle = read(get(context, "safebunny/breakers/Mail"), "$.criticalMillis");
                assertThat(idle).containsEntry("p50", null).containsEntry("p95", null);
            });
        });
    }

    /** It has no critical time as long as it does not end. */
    @Test
    void aTypeThatHangsTellsThatSomethingIsInWork() {
        NODE.run(context -> {
            publish(context, new Parcel("ann"));

            await().untilAsserted(() -> {
                Map<String, Object> type = read(get(context, "safebunny/breakers/Parcel"), "$");
                assertThat(type).containsEntry("inWork", 1).containsEntry("state", "CLOSED");
                assertThat(type.get("rates")).asString().contains("handled=0.0");
            });
            context.getBean(Handler.class).gate.countDown();
            await().untilAsserted(
                            () -> assertThat((Integer) read(get(context, "safebunny/breakers"), "$.Parcel.inWork"))
                                    .isZero());
        });
    }

    @Test
    void withoutTextsOfExceptionsWhereTheseAreLeftOut() {
        NODE.withPropertyValues("safebunny.poison.exception-details=type-only").run(context -> {
            open(context);

            assertThat(charge(context).get("lastFailure"))
                    .asString()
                    .contains("java.lang.IllegalStateException")
                    .doesNotContain("4711");
            assertThat(get(context, "health").body())
                    .contains("IllegalStateException")
                    .doesNotContain("4711");
        });
    }

    @Test
    void aThrottledOneTellsForHowLong() {
        NODE.run(context -> {
            publish(context, new Mail("ann"));
            awaitState(context, "Mail", State.OPEN);

            Map<String, Object> shown = inHealth(context, "Mail");
            assertThat(shown).containsEntry("reason", "a handler is throttled").doesNotContainKey("failureRate");
            assertThat(between(shown)).isBetween(Duration.ofMinutes(6), Duration.ofMinutes(8));
            assertThat(shown.get("lastFailure")).asString().contains("ThrottledException");
        });
    }

    @Test
    void anOperatorsPauseIsToldWithWhoAndUntilWhenBesideWhatTheBreakerItselfSays() {
        NODE.run(context -> {
            post(context, "safebunny/breakers/Mail", PAUSE);
            Map<String, Object> paused = inHealth(context, "Mail");
            assertThat(paused)
                    .containsEntry("state", "OPEN")
                    .containsEntry("reason", "paused by anonymous: provider is down");
            assertThat(between(paused)).isBetween(Duration.ofMinutes(119), Duration.ofMinutes(121));
            assertThat(paused.get("pause")).asString().contains("by=anonymous", "provider is down", "scope=NODE");

            open(context);
            post(context, ONE, PAUSE);
            assertThat(charge(context))
                    .containsEntry("reason", "75.0 % of the latest messages failed")
                    .hasEntrySatisfying("pause", pause -> assertThat(pause).isNotNull())
                    .isEqualTo(inHealth(context, "Charge"));
            assertThat(between(charge(context))).isGreaterThan(Duration.ofMinutes(119));

            String note = read(post(context, ONE, "{'state':'closed','reason':'it is back'}"), "$.note");
            assertThat(note).contains("still OPEN until", "75.0 %", "not because of a pause");
            assertThat(charge(context)).containsEntry("state", "OPEN").doesNotContainKey("pause");
            post(context, "safebunny/breakers/Mail", "{'state':'closed','reason':'it is back'}");
            Map<String, Object> resumed = known(read(get(context, "safebunny/breakers/Mail"), "$"));
            assertThat(resumed)
                    .containsEntry("state", "CLOSED")
                    .containsEntry("reason", "resumed by anonymous: it is back")
                    .doesNotContainKey("until");
        });
    }

    @Test
    void oneThatIsClosedTellsItsRateAndIsNotInHealth() {
        NODE.withPropertyValues("safebunny.circuit-breaker.failure-rate-threshold=100")
                .run(context -> {
                    for (int i = 0; i < 4; i++) {
                        publish(context, new Charge(i % 2));
                    }
                    await().untilAsserted(() -> assertThat(charge(context)).containsEntry("failureRate", 50.0));
                    assertThat(charge(context))
                            .containsEntry("state", "CLOSED")
                            .containsKeys("since", "lastFailure")
                            .doesNotContainKeys("until", "reason");
                    assertThat(get(context, "health/safebunny/breakers").body()).doesNotContain("Charge");
                });
    }
}
