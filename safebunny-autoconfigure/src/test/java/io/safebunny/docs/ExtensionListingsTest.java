// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.node.Codecs;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.GzipCodec;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Listings on what an application may put into the way of its messages, compiled and run. */
class ExtensionListingsTest {

    record OrderPlaced(String orderId, @Nullable String currency) {}

    record Told(String text) {}

    record OfTenant(String tenant) {}

    static final class Tenant {
        private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

        private Tenant() {}

        static void set(String tenant) {
            CURRENT.set(tenant);
        }

        static void clear() {
            CURRENT.remove();
        }
    }

    static final BlockingQueue<Object> HANDLED = new LinkedBlockingQueue<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @Order(20)
        ConsumeMiddleware currencies() {
            return (context, next) -> {
                if (context.payload() instanceof OrderPlaced order && order.currency() == null) {
                    context.replacePayload(new OrderPlaced(order.orderId(), "EUR"));
                }
                next.run();
            };
        }

        @Bean
        ContextPropagator tenants() {
            return message -> {
                Tenant.set(String.valueOf(message.headers().get("tenant")));
                return Tenant::clear;
            };
        }

        @Bean
        BodyCodec gzip() {
            return new GzipCodec();
        }

        @Bean
        HandlerSource told() {
            return () -> List.of(new HandlerDefinition(
                    "told",
                    "Told",
                    Told.class,
                    List.of("orders"),
                    1,
                    RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                    (payload, context) -> HANDLED.add(payload)));
        }
    }

    static class Orders {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            HANDLED.add(event);
        }
    }

    static class Tenants {
        @BunnyHandler(from = "orders")
        void on(OfTenant event) {
            HANDLED.add(new OfTenant(String.valueOf(Tenant.CURRENT.get())));
        }
    }

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withBean(Orders.class)
            .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory");

    private static Object handled() throws InterruptedException {
        Object handled = HANDLED.poll(10, TimeUnit.SECONDS);
        assertThat(handled).as("handled within 10 s").isNotNull();
        return handled == null ? "" : handled;
    }

    @Test
    void anOldMessageIsBroughtUpToDate() {
        application.run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("42", null));
            assertThat(handled()).isEqualTo(new OrderPlaced("42", "EUR"));
        });
    }

    @Test
    void aHandlerRunsForTheTenantOfItsMessage() {
        application.withBean(Tenants.class).run(context -> {
            context.getBean(Bunny.class)
                    .publish(new OfTenant(""), PublishOptions.none().withHeader("tenant", "acme"));
            assertThat(handled()).isEqualTo(new OfTenant("acme"));
        });
    }

    @Test
    void whatIsPublishedIsEncodedOnDemand() {
        application.withPropertyValues("safebunny.publisher.encoding=gzip").run(context -> {
            assertThat(context.getBean(Codecs.class).publishing().codecs()).hasOnlyElementsOfType(GzipCodec.class);
            context.getBean(Bunny.class).publish(new OrderPlaced("43", "USD"));
            assertThat(handled()).isEqualTo(new OrderPlaced("43", "USD"));
        });
    }

    @Test
    void anEncodingWithoutACodecEndsTheStart() {
        application.withPropertyValues("safebunny.publisher.encoding=zstd").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("SB-1311")
                .hasMessageContaining("codecs=[gzip]"));
    }

    @Test
    void aSourceBesideTheBeansIsHandled() {
        application.run(context -> {
            context.getBean(Bunny.class).publish(new Told("hello"));
            assertThat(handled()).isEqualTo(new Told("hello"));
        });
    }
}
