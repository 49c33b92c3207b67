// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.handler.HandlerDefinition;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.stereotype.Component;

class HandlerDiscoveryTest {

    /** Remembers what it was called with. */
    static class Recording {
        final List<Object> payloads = new ArrayList<>();
    }

    @Component("invoicing")
    static class Invoicing extends Recording {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            payloads.add(event);
        }

        void notAHandler(PaymentCaptured event) {
            payloads.add(event);
        }
    }

    @Test
    void findsPackagePrivateMethodsOfComponents() throws Exception {
        try (Handlers handlers = new Handlers(Invoicing.class)) {
            HandlerDefinition found = handlers.one();
            OrderPlaced payload = new OrderPlaced("o-1", 1);
            found.invoker().invoke(payload, Handlers.message(Map.of()));

            assertThat(found.type()).isEqualTo("OrderPlaced");
            assertThat(found.payloadType()).isEqualTo(OrderPlaced.class);
            assertThat(found.from()).containsExactly("orders");
            assertThat(found.description()).contains("invoicing", "on(OrderPlaced)");
            assertThat(handlers.bean(Invoicing.class).payloads).containsExactly(payload);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Recording recorder() {
            return new Invoicing();
        }

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        Shipping shipping() {
            return new Shipping();
        }
    }

    static class Shipping extends Recording {
        static final List<Shipping> INSTANCES = new ArrayList<>();

        @BunnyHandler(from = "billing")
        @SuppressWarnings("UnusedMethod") // called as users' private methods are
        private void on(PaymentCaptured event) {
            payloads.add(event);
            INSTANCES.add(this);
        }
    }

    @Test
    void findsBeansOfBeanMethodsByTheirRealClass() {
        try (Handlers handlers = new Handlers(Beans.class)) {
            assertThat(handlers.scan())
                    .extracting(HandlerDefinition::type)
                    .containsExactlyInAnyOrder("OrderPlaced", "PaymentCaptured");
        }
    }

    @Test
    void takesANewPrototypePerMessage() throws Exception {
        Shipping.INSTANCES.clear();
        try (Handlers handlers = new Handlers(Beans.class)) {
            HandlerDefinition found = handlers.scan().stream()
                    .filter(handler -> handler.type().equals("PaymentCaptured"))
                    .findFirst()
                    .orElseThrow();
            found.invoker().invoke(new PaymentCaptured("1"), Handlers.message(Map.of()));
            found.invoker().invoke(new PaymentCaptured("2"), Handlers.message(Map.of()));
        }

        assertThat(Shipping.INSTANCES).hasSize(2).doesNotHaveDuplicates();
    }

    @BunnyHandler(from = "orders", prefetch = "3")
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface FromOrders {}

    static class MetaAnnotated {
        @FromOrders
        void on(OrderPlaced event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void findsMetaAnnotatedMethods() {
        try (Handlers handlers = new Handlers(MetaAnnotated.class)) {
            assertThat(handlers.one().from()).containsExactly("orders");
            assertThat(handlers.one().prefetch()).isEqualTo(3);
        }
    }

    @BunnyHandler(from = "orders")
    static class OnlyTheClass {
        public void on(OrderPlaced event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void takesNoMethodThatIsNotAnnotatedItself() {
        try (Handlers handlers = new Handlers(OnlyTheClass.class)) {
            assertThat(handlers.scan()).isEmpty();
        }
    }

    record Page<T>(List<T> rows) {}

    static class Generic {
        @BunnyHandler(from = "orders")
        void on(Page<OrderPlaced> page) {
            assertThat(page).isNotNull();
        }
    }

    @Test
    void readsTheBodyAsTheGenericPayloadType() {
        try (Handlers handlers = new Handlers(Generic.class)) {
            assertThat(handlers.one().type()).isEqualTo("Page");
            assertThat(handlers.one().payloadType())
                    .isEqualTo(new ParameterizedTypeReference<Page<OrderPlaced>>() {}.getType());
        }
    }

    abstract static class AnyEvent<T> extends Recording {
        @BunnyHandler(from = "orders")
        void on(T event) {
            payloads.add(event);
        }
    }

    static class OrderPlacedEvents extends AnyEvent<OrderPlaced> {}

    @Test
    void resolvesATypeVariableByTheClassOfTheBean() {
        try (Handlers handlers = new Handlers(OrderPlacedEvents.class)) {
            assertThat(handlers.one().payloadType()).isEqualTo(OrderPlaced.class);
            assertThat(handlers.one().type()).isEqualTo("OrderPlaced");
        }
    }

    interface Contract<T> {
        @BunnyHandler(from = "orders")
        void on(T event);
    }

    static class Implementation implements Contract<OrderPlaced> {
        @Override
        public void on(OrderPlaced event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void findsAMethodOnceThatItsInterfaceAnnotates() {
        try (Handlers handlers = new Handlers(Implementation.class)) {
            assertThat(handlers.one().payloadType()).isEqualTo(OrderPlaced.class);
        }
    }

    @BunnyMessage("order_placed")
    record Renamed(String id) {}

    static class OfRenamed {
        @BunnyHandler(from = "orders")
        void on(Renamed event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void namesTheTypeAsItsClassSays() {
        try (Handlers handlers = new Handlers(OfRenamed.class)) {
            assertThat(handlers.one().type()).isEqualTo("order_placed");
        }
    }
}
