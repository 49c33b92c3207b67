// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;

// A message that node billing could not handle.
//
// What production saw: OrderPlaced 3cd60d04-a7c4-8653-bce0-9d3a76cd512c was set aside at 2026-03-01T10:00:00Z
// because of retries-exhausted, with
//
// java.lang.IllegalStateException: the bank is closed
//
// Attempt at 2026-03-01T10:00:00Z on instance billing-7d4f, failed after 12 ms:
// java.lang.IllegalStateException: the bank is closed
//
// Masked in the body of OrderPlaced: order.
//
// It starts the application: give it test doubles of what it needs from outside.
//
// It fails as long as the fault is there, and says where; it passes once the fault is mended. If it passes at once, the
// fault is not in this code: it is in settings, in a middleware, or in what the test does without.
//
// Run it alone: mvn test -Dtest=OrderPlacedIncidentc64b097eTest
@BunnyTest(properties = "safebunny.node=billing")
@Import(BillingTest.FakeBank.class) // added by hand: the test double of the bank
class OrderPlacedIncidentc64b097eTest {

    private static final String BODY = """
            {
              "order": "***"
            }""";

    @Test
    void isHandled(BunnyHarness bunny) {
        bunny.as("storefront").deliver("OrderPlaced", BODY, "order-7");
        bunny.runUntilIdle();

        assertThat(bunny.messages()).nothingSetAside();
    }
}
