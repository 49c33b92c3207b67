// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.harness.Shop.Fragile;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

@BunnyTest(
        classes = Shop.class,
        properties = {"safebunny.node=shop", "safebunny.retry.max-retries=0", "safebunny.delayed-retry.delays=10s"})
class LoggedTest {

    @Test
    void theLinesOfASagaAreFound(BunnyHarness bunny, CapturedLogs logs) {
        String saga = bunny.as("storefront").publish(new Fragile(100));
        String other = bunny.as("storefront").publish(new Fragile(1));

        bunny.runUntilIdle();

        assertThat(logs.of(saga))
                .filteredOn(line -> line.level() == Level.ERROR)
                .extracting(LogLine::message)
                .singleElement()
                .asString()
                .startsWith("Message goes to shop-poison");
        assertThat(logs.of(saga)).allSatisfy(line -> assertThat(line.mdc())
                .containsEntry("safebunny.node", "shop")
                .containsEntry("safebunny.type", "Fragile"));
        assertThat(logs.of(other)).noneMatch(line -> line.level() == Level.ERROR);
    }

    @Test
    void theNextTestHasItsOwn(CapturedLogs logs) {
        assertThat(logs.all()).isEmpty();
    }
}
