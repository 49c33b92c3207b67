// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.Published;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

/** What waits when the application begins to work is one batch. */
@BunnyTest(
        classes = BatchesTest.Application.class,
        properties = {"safebunny.node=shop", "safebunny.retry.max-retries=0", "safebunny.delayed-retry.delays="})
class BatchesTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Readings.class)
    static class Application {}

    record Reading(int value) {}

    record Stored(int value) {}

    @Component
    static class Readings {

        final List<List<Reading>> batches = new ArrayList<>();

        @BunnyHandler(from = "meters", batchSize = "3")
        void on(List<Reading> readings, List<MessageContext> contexts) {
            batches.add(List.copyOf(readings));
            for (int i = 0; i < readings.size(); i++) {
                int value = readings.get(i).value();
                if (value < 0) {
                    throw new IllegalArgumentException("below zero");
                }
                Published unused = contexts.get(i).publisher().publish(new Stored(value));
            }
        }
    }

    @Autowired
    private Readings readings;

    @BeforeEach
    void forget() {
        readings.batches.clear();
    }

    private static void publish(BunnyHarness bunny, int... values) {
        for (int value : values) {
            String unused = bunny.as("meters").publish(new Reading(value));
        }
    }

    @Test
    void whatWaitsIsOneBatch(BunnyHarness bunny) {
        publish(bunny, 1, 2, 3, 4);
        bunny.runUntilIdle();

        assertThat(readings.batches)
                .containsExactly(List.of(new Reading(1), new Reading(2), new Reading(3)), List.of(new Reading(4)));
        assertThat(bunny.messages())
                .handled(Reading.class, 4)
                .published(Stored.class, 4)
                .nothingSetAside();
    }

    @Test
    void theOneThatFailsIsSetAsideAndTheOthersAreHandled(BunnyHarness bunny) {
        publish(bunny, 1, -1, 3);
        bunny.runUntilIdle();

        assertThat(bunny.messages())
                .handled(Reading.class, 2)
                .published(Stored.class, 2)
                .setAside(Reading.class);
    }
}
