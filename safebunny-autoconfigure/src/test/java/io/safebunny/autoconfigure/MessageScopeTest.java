// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyScope;
import io.safebunny.middleware.ConsumeMiddleware;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class MessageScopeTest {

    @Test
    void middlewareAndHandlerOfOneMessageShareABean() {
        Nodes.memory().withUserConfiguration(Application.class).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            bunny.publish(new OrderPlaced("1"));
            Seen first = (Seen) context.getBean(Received.class).next();
            bunny.publish(new OrderPlaced("2"));
            Seen second = (Seen) context.getBean(Received.class).next();

            assertThat(first.stampedByMiddleware()).isTrue();
            assertThat(second.stampedByMiddleware()).isTrue();
            assertThat(second.number()).isNotEqualTo(first.number());
        });
    }

    record Seen(UUID number, boolean stampedByMiddleware) {}

    static class Ticket {
        private final UUID number = UUID.randomUUID();
        private boolean stamped;

        UUID number() {
            return number;
        }

        void stamp() {
            stamped = true;
        }

        boolean isStamped() {
            return stamped;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        @BunnyScope
        Ticket ticket() {
            return new Ticket();
        }

        @Bean
        ConsumeMiddleware stamping(Ticket ticket) {
            return (context, next) -> {
                ticket.stamp();
                next.run();
            };
        }

        @Bean
        Received<Seen> received() {
            return new Received<>();
        }

        @Bean
        Handler handler(Ticket ticket, Received<Seen> received) {
            return new Handler(ticket, received);
        }
    }

    record Handler(Ticket ticket, Received<Seen> received) {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            received.add(new Seen(ticket.number(), ticket.isStamped()));
        }
    }
}
