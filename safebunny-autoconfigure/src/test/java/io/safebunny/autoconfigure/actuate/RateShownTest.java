// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.Published;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Over HTTP: the rate of a type, where it comes from, and what waits because of it. */
@ExtendWith(OutputCaptureExtension.class)
class RateShownTest {

    private static final ReactiveWebApplicationContextRunner NODE =
            HttpCalls.node().withBean(Handler.class);

    record Mail(String to) {}

    record Letter(String to) {}

    static class Handler {
        @BunnyHandler(from = "shop", rate = "400/min")
        void on(Mail mail) {}

        @BunnyHandler(from = "shop")
        void on(Letter letter) {}
    }

    @Test
    void aTypeTellsItsRateAndWhoWaits(CapturedOutput output) {
        NODE.withPropertyValues("safebunny.listener.rates.Mail=2/min", "safebunny.listener.rates.Parcel=1/s")
                .run(context -> {
                    for (int number = 0; number < 2; number++) {
                        Published unused = context.getBean(Bunny.class).publish(new Mail("you"));
                    }

                    await().untilAsserted(() -> {
                        Map<String, Object> limit = read(get(context, "safebunny/breakers/Mail"), "$.limit");
                        assertThat(limit)
                                .containsEntry("rate", "2/min")
                                .containsEntry("shared", false)
                                .containsEntry("waiting", 1)
                                .containsEntry("paused", true);
                        assertThat(Double.parseDouble(String.valueOf(limit.get("perSecond"))))
                                .isBetween(0.033, 0.034);
                    });
                    Map<String, Object> letter = read(get(context, "safebunny/breakers/Letter"), "$");
                    assertThat(letter).doesNotContainKey("limit");
                    String rate = read(get(context, "safebunny/handlers/Mail"), "$.rate");
                    assertThat(rate).isEqualTo("2/min");
                    assertThat(output)
                            .contains("Each instance handles 2/min of Mail by itself")
                            .contains("what safebunny.listener.rates limits [Parcel]");
                });
    }
}
