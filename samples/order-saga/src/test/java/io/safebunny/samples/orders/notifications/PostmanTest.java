// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

@BunnyTest(
        properties = {
            "safebunny.node=notifications",
            "safebunny.store.type=jdbc",
            "spring.datasource.url=jdbc:h2:mem:postman;DB_CLOSE_DELAY=-1"
        })
class PostmanTest {

    /** Writes what it is told, once the mail server of the first order works again. */
    static final class Mails implements Ledger {

        final List<String> sent = new ArrayList<>();
        int failures;

        @Override
        public void record(Effect effect, String orderId, MessageContext cause, long amountCents) {
            if (orderId.equals("1") && failures-- > 0) {
                throw new IllegalStateException("the mail server is away");
            }
            sent.add(orderId + ' ' + effect);
        }

        @Override
        public boolean has(Effect effect, String orderId) {
            return sent.contains(orderId + ' ' + effect);
        }
    }

    @TestConfiguration
    static class Failing {
        @Bean
        @Primary
        Mails mails() {
            return new Mails();
        }
    }

    @Autowired
    private Mails mails;

    @Test
    void nobodyHearsOfTheEndFirst(BunnyHarness bunny) {
        mails.failures = 5; // more than what is tried in memory
        tell(bunny, OrderNews.accepted("1", "Ada"));
        tell(bunny, OrderNews.completed("1", "Ada"));
        tell(bunny, OrderNews.accepted("2", "Bob"));
        tell(bunny, OrderNews.cancelled("2", "Bob", "sold out"));

        bunny.runUntilIdle();

        assertThat(mails.sent)
                .containsExactly("2 MAIL_RECEIVED", "2 MAIL_OUTCOME", "1 MAIL_RECEIVED", "1 MAIL_OUTCOME");
    }

    private static void tell(BunnyHarness bunny, OrderNews news) {
        bunny.as("orders").publish(news, PublishOptions.none().withCorrelationId("order-" + news.orderId()));
    }
}
