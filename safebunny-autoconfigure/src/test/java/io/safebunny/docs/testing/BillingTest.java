// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;

@BunnyTest(properties = "safebunny.node=billing")
class BillingTest {

    @TestConfiguration
    static class FakeBank implements Bank {

        final List<String> charged = new ArrayList<>();
        final List<String> receipts = new ArrayList<>();
        boolean isClosed;

        @Override
        public void charge(String order, String key) {
            if (isClosed) {
                throw new IllegalStateException("the bank is closed");
            }
            charged.add(order);
        }

        @Override
        public void sendReceipt(String order, String key) {
            receipts.add(order);
        }
    }

    @Autowired
    FakeBank bank;

    @BeforeEach
    void newDay() {
        bank.charged.clear();
        bank.receipts.clear();
        bank.isClosed = false;
    }

    @Test
    void sendsAReceiptAfterAWeek(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new OrderPlaced("7"));

        assertThat(bunny.runUntilIdle()).next(ReceiptDue.class).in(Duration.ofDays(7));
        assertThat(bunny.saga(saga)).published(PaymentCaptured.class, 1).handled(ReceiptDue.class, 0);

        bunny.advance(Duration.ofDays(7));
        assertThat(bank.charged).containsExactly("7");
        assertThat(bank.receipts).containsExactly("7");
    }

    @Test
    void whatABankRefusesIsSetAside(BunnyHarness bunny) {
        bank.isClosed = true;
        String saga = bunny.as("storefront").publish(new OrderPlaced("7"));

        bunny.runUntilIdle(); // through all retries, at once

        assertThat(bunny.saga(saga))
                .setAside(OrderPlaced.class, "retries-exhausted")
                .never(PaymentCaptured.class);
    }
}
