// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.node.SafeBunnyParts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

class MiddlewareTest {

    @Test
    void beansRunInTheirOrder() {
        Nodes.memory().withUserConfiguration(Three.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));

            context.getBean(Received.class).next();
            assertThat(context.getBean(Log.class).entries)
                    .containsExactly(
                            "publish first", "publish second", "consume first", "consume second", "consume last");
        });
    }

    @Test
    void mayInjectBunny() {
        Nodes.memory().withBean(Auditing.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(SafeBunnyParts.class).consumeMiddlewares())
                    .containsExactly(context.getBean(Auditing.class));
        });
    }

    static final class Log {
        final List<String> entries = Collections.synchronizedList(new ArrayList<>());
    }

    @Configuration(proxyBeanMethods = false)
    static class Three {
        @Bean
        Log log() {
            return new Log();
        }

        @Bean
        Received<OrderPlaced> received() {
            return new Received<>();
        }

        @Bean
        ConsumeMiddleware last(Log log) {
            return (context, next) -> {
                log.entries.add("consume last");
                next.run();
            };
        }

        @Bean
        @Order(2)
        ConsumeMiddleware second(Log log) {
            return (context, next) -> {
                log.entries.add("consume second");
                next.run();
            };
        }

        @Bean
        @Order(1)
        ConsumeMiddleware first(Log log) {
            return (context, next) -> {
                log.entries.add("consume first");
                next.run();
            };
        }

        @Bean
        @Order(2)
        PublishMiddleware secondOfPublishing(Log log) {
            return (context, next) -> {
                log.entries.add("publish second");
                next.run();
            };
        }

        @Bean
        @Order(1)
        PublishMiddleware firstOfPublishing(Log log) {
            return (context, next) -> {
                log.entries.add("publish first");
                next.run();
            };
        }

        @Bean
        Handler handler(Received<OrderPlaced> received) {
            return new Handler(received);
        }
    }

    record Handler(Received<OrderPlaced> received) {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            received.add(payload);
        }
    }

    record Auditing(Bunny bunny) implements ConsumeMiddleware {
        @Override
        public void invoke(ConsumeContext context, Next next) throws Exception {
            next.run();
        }
    }
}
