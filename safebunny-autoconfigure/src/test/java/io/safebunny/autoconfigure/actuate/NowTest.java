// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP: is anything stuck? */
@Tag("once")
class NowTest {

    private static final String NOW = "safebunny/now";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Handler.class)
            .withPropertyValues("management.endpoint.health.show-details=always");

    record Charge(int cents) {}

    record Give(int gifts) {}

    @BunnySaga
    static class Gift {
        record Count(int gifts) {}

        @Starts
        @BunnyHandler(from = "shop")
        Count on(Give gifts) {
            return new Count(gifts.gifts());
        }
    }

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            if (charge.cents() < 0) {
                throw new IllegalStateException("nothing to charge");
            }
        }
    }

    private static Object of(AssertableReactiveWebApplicationContext context, String path) {
        return read(get(context, NOW), path);
    }

    @Test
    void saysThatNothingIsStuckOnceAllIsKnown() {
        NODE.run(context -> {
            context.getBean(Bunny.class).publish(new Charge(1));

            // asked by the first look and not before, the broker may or may not have answered
            HttpResponse<String> first = get(context, NOW);
            Object setAside = read(first, "$.counts.setAside");
            List<String> words = read(first, "$.words");
            assertThat((String) read(first, "$.level")).isEqualTo(setAside == null ? "UNKNOWN" : "UP");
            assertThat(words)
                    .containsExactly(
                            setAside == null
                                    ? "The broker has not told yet how many messages are set aside."
                                    : "Nothing is stuck.");
            await().untilAsserted(() ->
                    assertThat((Double) of(context, "$.rates.handled")).isPositive());
            await().untilAsserted(() -> assertThat(of(context, "$.words")).isEqualTo(List.of("Nothing is stuck.")));
            assertThat(of(context, "$.level")).isEqualTo("UP");
            assertThat(of(context, "$.counts.setAside")).isEqualTo(0);
            assertThat(of(context, "$.node")).isEqualTo("shop");
            assertThat(of(context, "$.instance"))
                    .isEqualTo(context.getBean(BunnyOperations.class).instance());
            assertThat(of(context, "$.counts.paused")).isEqualTo(0);
            assertThat(of(context, "$.parts[*].part"))
                    .isEqualTo(List.of("broker", "poison", "publications", "breakers", "store", "sagas", "order"));
        });
    }

    /** A node that handles nothing has no poison queue to ask about. */
    @Test
    void saysSoOfANodeWithoutHandlersAtOnce() {
        HttpCalls.node().run(context -> assertThat(of(context, "$.words")).isEqualTo(List.of("Nothing is stuck.")));
    }

    /** They are counted after a lease for the first time. */
    @Test
    void saysThatSagasAreNotCountedYet() {
        NODE.withBean(Gift.class).withPropertyValues("safebunny.dedup.lease=1h").run(context -> {
            await().untilAsserted(
                            () -> assertThat(of(context, "$.counts.setAside")).isEqualTo(0));

            assertThat(of(context, "$.level")).isEqualTo("UNKNOWN");
            assertThat(of(context, "$.words")).isEqualTo(List.of("The sagas have not been counted yet."));
        });
    }

    @Test
    void saysWhatIsPausedAsHealthDoes() {
        NODE.run(context -> {
            post(
                    context,
                    "safebunny/breakers/Charge",
                    "{'state':'open','duration':'1h','reason':'the bank is closed'}");

            assertThat(of(context, "$.level")).isEqualTo("DEGRADED");
            assertThat(of(context, "$.parts[3].words"))
                    .isEqualTo(
                            "1 type is not handled: Charge (paused by anonymous: the bank is closed). Check why, and resume what an operator has paused.");
            assertThat(of(context, "$.words"))
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .contains(of(context, "$.parts[3].words"));
            assertThat(of(context, "$.counts.paused")).isEqualTo(1);
            assertThat(of(context, "$.counts.notClosed")).isEqualTo(1);
            assertThat((String) read(get(context, "health/safebunny/breakers"), "$.status"))
                    .isEqualTo(of(context, "$.parts[3].level"));
        });
    }

    /** So that an outage, which opens them all, does not make each answer large. */
    @Test
    void hasNoDetailsOfEachType() {
        NODE.run(context -> {
            post(context, "safebunny/breakers/Charge", "{'state':'open','duration':'1h','reason':'why'}");

            Map<String, Object> part = read(get(context, NOW), "$.parts[3]");
            assertThat(part).containsOnlyKeys("part", "level", "words", "page");
        });
    }

    @Test
    void whatWasSetAsideNeedsALookOnceTheBrokerHasTold() {
        NODE.run(context -> {
            context.getBean(Bunny.class).publish(new Charge(-1));
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            // not by asking what is going on: the broker is asked only every 15 s
            await().until(() -> !poison.list(PoisonFilter.all()).messages().isEmpty());

            await().untilAsserted(
                            () -> assertThat(of(context, "$.counts.setAside")).isEqualTo(1));
            await().untilAsserted(() ->
                    assertThat((Double) of(context, "$.rates.setAside")).isPositive());
            assertThat(of(context, "$.level")).isEqualTo("DEGRADED");
            assertThat(of(context, "$.parts[1].level")).isEqualTo("DEGRADED");
            assertThat(of(context, "$.words")).asString().contains("1 message is set aside", "shop-poison");
            assertThat((String) read(get(context, "health/safebunny/poison"), "$.status"))
                    .isEqualTo("UP");
        });
    }

    /** The broker does not count what it holds. */
    @Test
    void saysThatAnOperationHoldsCopies() {
        NODE.run(context -> {
            for (int i = 0; i < 3; i++) {
                context.getBean(Bunny.class).publish(new Charge(-1));
            }
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            await().until(() -> poison.list(PoisonFilter.all()).messages().size() == 3);
            PoisonOperation operation = poison.discard(PoisonRequest.of(PoisonFilter.all(), "ann", "one in a minute")
                    .atRate(1 / 60.0));
            await().until(() -> operation.progress().moved() == 1);

            assertThat(of(context, "$.parts[1].words"))
                    .asString()
                    .contains("Operation " + operation.id() + " on poison messages runs. Look at its progress");
            assertThat(of(context, "$.level")).isEqualTo("UNKNOWN");
            await().untilAsserted(
                            () -> assertThat(of(context, "$.counts.setAside")).isNull());

            operation.cancel();
            await().untilAsserted(
                            () -> assertThat(of(context, "$.counts.setAside")).isEqualTo(2));
            assertThat(of(context, "$.level")).isEqualTo("DEGRADED");
        });
    }

    @Test
    void hasNoParts() {
        NODE.run(context -> isProblem(get(context, NOW + "/parts"), 404, "name=parts"));
    }
}
