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
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP: is anything stuck? */
class NowTest {

    private static final String NOW = "safebunny/now";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Handler.class)
            .withPropertyValues("management.endpoint.health.show-details=always");

    record Charge(int cents) {}

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
    void saysThatNothingIsStuck() {
        NODE.run(context -> {
            context.getBean(Bunny.class).publish(new Charge(1));

            await().untilAsserted(() ->
                    assertThat((Double) of(context, "$.rates.handled")).isPositive());
            assertThat(of(context, "$.level")).isEqualTo("UP");
            assertThat(of(context, "$.words")).isEqualTo(List.of("Nothing is stuck."));
            assertThat(of(context, "$.node")).isEqualTo("shop");
            assertThat(of(context, "$.counts.paused")).isEqualTo(0);
            assertThat(of(context, "$.parts[*].part"))
                    .isEqualTo(List.of("broker", "poison", "publications", "breakers", "store", "sagas"));
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
            assertThat(of(context, "$.words[0]")).asString().contains("1 type is paused: Charge.");
            assertThat(of(context, "$.counts.paused")).isEqualTo(1);
            Map<String, Object> shown = read(get(context, NOW), "$.parts[3].details.Charge");
            Map<String, Object> inHealth = read(get(context, "health/safebunny/breakers"), "$.details.Charge");
            assertThat(shown).containsAllEntriesOf(inHealth);
        });
    }

    @Test
    void countsWhatWasSetAsideOnceTheBrokerHasTold() {
        NODE.run(context -> {
            context.getBean(Bunny.class).publish(new Charge(-1));
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            // not by asking what is going on: the broker is asked only every 15 s
            await().until(() -> !poison.list(PoisonFilter.all()).messages().isEmpty());

            await().untilAsserted(
                            () -> assertThat(of(context, "$.counts.setAside")).isEqualTo(1));
            assertThat((Double) of(context, "$.rates.setAside")).isPositive();
            assertThat(of(context, "$.words[0]")).asString().contains("1 message was set aside", "shop-poison");
        });
    }

    @Test
    void hasNoParts() {
        NODE.run(context -> isProblem(get(context, NOW + "/parts"), 404, "name=parts"));
    }
}
