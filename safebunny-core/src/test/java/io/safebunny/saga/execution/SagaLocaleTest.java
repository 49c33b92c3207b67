// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Instances on machines of different languages make the same ids: one that sends an alarm again sends the same message. */
class SagaLocaleTest {

    private static final Locale EGYPT = Locale.forLanguageTag("ar-EG");

    record Begin(String text) {}

    @BunnySaga
    static class Waiting {
        record State(String text) {}

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.timeout("late", Duration.ofMinutes(1));
            return new State(begin.text());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.complete();
        }
    }

    private final Locale before = Locale.getDefault();

    @AfterEach
    void restore() {
        Locale.setDefault(before);
    }

    private static List<String> ids(Locale locale) {
        Locale.setDefault(locale);
        SagaWorld world = new SagaWorld();
        List<String> ids = new ArrayList<>();
        world.arrivals = message -> {
            if (String.valueOf(message.message().type()).equals("BunnyTimeout")) {
                ids.add(String.valueOf(message.message().messageId()));
            }
            return 1;
        };
        world.start("desk", List.of());
        world.start("tours", List.of(), new Waiting());
        var unused = world.bunny("desk")
                .publish(
                        new Begin("x"),
                        PublishOptions.none().withCorrelationId("tour-1").withIdempotencyKey("begin"));
        world.pass(Duration.ofMinutes(2));
        return ids;
    }

    @Test
    void timeoutsHaveTheSameIds() {
        Locale.setDefault(EGYPT);
        assertThat("%d".formatted(1)).as("digits of this locale").isEqualTo("١");

        assertThat(ids(EGYPT)).isNotEmpty().isEqualTo(ids(Locale.ENGLISH));
    }
}
