// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.TestConfiguration;

@BunnyTest(properties = "safebunny.node=billing")
class BillingLogTest {

    @TestConfiguration
    static class ClosedBank implements Bank {

        @Override
        public void charge(String order, String key) {
            throw new IllegalStateException("the bank is closed");
        }

        @Override
        public void sendReceipt(String order, String key) {
            throw new IllegalStateException("the bank is closed");
        }
    }

    @Test
    void saysWhyAnOrderIsSetAside(BunnyHarness bunny, CapturedLogs logs) {
        String saga = bunny.as("storefront").publish(new OrderPlaced("7"));

        bunny.runUntilIdle();

        assertThat(logs.of(saga))
                .extracting(LogLine::message)
                .anyMatch(message -> message.contains("the bank is closed"));
    }
}
