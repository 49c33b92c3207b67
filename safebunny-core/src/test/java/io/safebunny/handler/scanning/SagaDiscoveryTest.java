// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class SagaDiscoveryTest {

    record State(String order) {}

    @BunnySaga(
            version = 3,
            participants = {"${storage}", "billing"})
    static class OrderSaga {
        @Starts
        @BunnyHandler(from = "storefront", prefetch = "7")
        State on(OrderPlaced placed, SagaContext saga) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        @CorrelatedBy("orderId")
        void on(PaymentCaptured captured, State state) {}

        @OnTimeout("payment")
        void late(SagaContext saga) {}

        @OnPoisoned
        void blocked(SagaContext saga) {}

        @Upgrade(from = 2)
        static ObjectNode second(ObjectNode old) {
            return old.put("second", true);
        }

        @Upgrade(from = 1)
        @SuppressWarnings("UnusedMethod") // called as users' private methods are
        private static ObjectNode first(ObjectNode old) {
            return old.put("first", true);
        }
    }

    @Test
    void readsASaga() {
        try (Handlers handlers = new Handlers(Map.of("storage", "warehouse, archive"), OrderSaga.class)) {
            SagaDefinition saga = handlers.oneSaga();

            assertThat(saga.name()).isEqualTo("OrderSaga");
            assertThat(saga.description()).isEqualTo(OrderSaga.class.getName());
            assertThat(saga.version()).isEqualTo(3);
            assertThat(saga.stateType()).isEqualTo(State.class);
            assertThat(saga.timeouts()).containsOnlyKeys("payment");
            assertThat(saga.poisoned()).isNotNull();
            assertThat(saga.upgrades()).containsOnlyKeys(1, 2);
            assertThat(saga.participants()).containsExactlyInAnyOrder("storefront", "billing", "warehouse", "archive");
        }
    }

    @Test
    void readsItsHandlers() {
        try (Handlers handlers = new Handlers(Map.of("storage", "warehouse"), OrderSaga.class)) {
            SagaDefinition saga = handlers.oneSaga();
            SagaHandler start = handler(saga, "OrderPlaced");
            SagaHandler next = handler(saga, "PaymentCaptured");

            assertThat(start.payloadType()).isEqualTo(OrderPlaced.class);
            assertThat(start.from()).containsExactly("storefront");
            assertThat(start.prefetch()).isEqualTo(7);
            assertThat(start.recovery().inMemory().maxRetries()).isEqualTo(2);
            assertThat(start.description()).isEqualTo(OrderSaga.class.getName() + ".on(OrderPlaced, SagaContext)");
            assertThat(start.starts()).isTrue();
            assertThat(start.takesState()).isFalse();
            assertThat(start.correlation()).isNull();

            assertThat(next.prefetch()).isEqualTo(10);
            assertThat(next.starts()).isFalse();
            assertThat(next.takesState()).isTrue();
            assertThat(requireNonNull(next.correlation()).apply(new PaymentCaptured("o-7")))
                    .isEqualTo("o-7");
        }
    }

    @Test
    void appliesUpgrades() {
        try (Handlers handlers = new Handlers(Map.of("storage", "warehouse"), OrderSaga.class)) {
            ObjectNode state = JsonMapper.shared().createObjectNode();
            for (var upgrade : handlers.oneSaga().upgrades().values()) {
                state = upgrade.apply(state);
            }

            assertThat(state).hasToString("{\"first\":true,\"second\":true}");
        }
    }

    @Test
    void leavesTheHandlersOfSagasToTheirScanner() {
        try (Handlers handlers = new Handlers(Map.of("storage", "warehouse"), OrderSaga.class)) {
            assertThat(handlers.scan()).isEmpty();
        }
    }

    @BunnySaga(name = "shipping-v2")
    @BunnyHandler(from = "orders", prefetch = "3")
    static class Shipping {
        @Starts
        @BunnyHandler
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @Test
    void takesNameAndDefaultsFromTheClass() {
        try (Handlers handlers = new Handlers(Shipping.class)) {
            SagaDefinition saga = handlers.oneSaga();

            assertThat(saga.name()).isEqualTo("shipping-v2");
            assertThat(saga.version()).isEqualTo(1);
            assertThat(saga.upgrades()).isEmpty();
            assertThat(saga.timeouts()).isEmpty();
            assertThat(saga.poisoned()).isNull();
            assertThat(saga.participants()).containsExactly("orders");
            assertThat(saga.handlers()).singleElement().satisfies(handler -> {
                assertThat(handler.from()).containsExactly("orders");
                assertThat(handler.prefetch()).isEqualTo(3);
            });
        }
    }

    abstract static class Generic<S> {
        @BunnyHandler(from = "billing")
        S captured(PaymentCaptured captured, S state) {
            return state;
        }
    }

    @BunnySaga
    static class Derived extends Generic<State> {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @Test
    void resolvesTheTypeOfTheStateInASuperclass() {
        try (Handlers handlers = new Handlers(Derived.class)) {
            SagaHandler inherited = handler(handlers.oneSaga(), "PaymentCaptured");

            assertThat(inherited.takesState()).isTrue();
        }
    }

    @Component("ordinary")
    static class Ordinary {
        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured) {}
    }

    @Test
    void findsNoSagaWhereThereIsNone() {
        try (Handlers handlers = new Handlers(Ordinary.class)) {
            assertThat(handlers.sagas()).isEmpty();
            assertThat(handlers.scan()).hasSize(1);
        }
    }

    @Test
    void refusesASagaAndAnOrdinaryHandlerOfOneTypeAndNamesBoth() {
        try (Handlers handlers = new Handlers(Derived.class, Ordinary.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> all(handlers))
                    .withMessageContaining("PaymentCaptured")
                    .withMessageContaining("ordinary.on(PaymentCaptured)")
                    .withMessageContaining("Derived.captured(PaymentCaptured, Object)")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1102"));
        }
    }

    @Test
    void refusesTwoSagasOfOneTypeAndNamesBoth() {
        try (Handlers handlers = new Handlers(Derived.class, Shipping.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> all(handlers))
                    .withMessageContaining("OrderPlaced")
                    .withMessageContaining("Derived.on(OrderPlaced)")
                    .withMessageContaining("Shipping.on(OrderPlaced)")
                    .withMessageContaining("Two sagas")
                    .withMessageContaining("node of its own")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1102"));
        }
    }

    /** As a node puts them together. */
    private static List<HandlerDefinition> all(Handlers handlers) {
        HandlerSource ofSagas = () -> handlers.sagas().stream()
                .flatMap(saga -> saga.handlers().stream())
                .map(handler -> handler.calling((payload, context) -> {}))
                .toList();
        return HandlerSource.all(Stream.of(handlers::scan, ofSagas).toList());
    }

    private static SagaHandler handler(SagaDefinition saga, String type) {
        return saga.handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .findFirst()
                .orElseThrow();
    }
}
