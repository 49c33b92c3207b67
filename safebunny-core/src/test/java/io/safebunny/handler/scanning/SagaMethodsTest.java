// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaMethod;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

@SuppressWarnings("DoNotCallSuggester") // they throw for the test
class SagaMethodsTest {

    private static final OrderPlaced PLACED = new OrderPlaced("o-1", 1);
    private static final State STATE = new State("o-1");
    private static final BlockedOn BLOCKED = new BlockedOn("m-9", "Ship", "warehouse", "failed");
    private static final List<@Nullable Object> ARGUMENTS = new ArrayList<>();

    private final MessageContext message = Handlers.message(Map.of("tenant", "acme"));
    private final SagaContext context = new NoSaga();

    record State(String order) {}

    @BunnySaga
    static class OrderSaga {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(
                SagaContext saga,
                @Nullable State state,
                @Header("tenant") String tenant,
                OrderPlaced placed,
                MessageContext message,
                @Headers Map<String, Object> headers) {
            called(saga, state, tenant, placed, message, headers);
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured, State state) throws IOException {
            called(captured, state);
            throw new IOException("disk");
        }

        @OnTimeout("payment")
        State late(MessageContext message, State state, SagaContext saga) {
            called(message, state, saga);
            return new State("late");
        }

        @OnTimeout("careless")
        @SuppressWarnings({"NullAway", "unused"}) // what a careless user writes
        State careless() {
            return null;
        }

        @OnPoisoned
        @SuppressWarnings("UnusedMethod") // called as users' private methods are
        private void blocked(State state, BlockedOn blockedOn, @Header("tenant") String tenant, SagaContext saga) {
            called(state, blockedOn, tenant, saga);
        }
    }

    private static void called(@Nullable Object... arguments) {
        ARGUMENTS.addAll(Arrays.asList(arguments));
    }

    @BeforeEach
    void forget() {
        ARGUMENTS.clear();
    }

    @Test
    void fillsTheParametersOfAHandlerInAnyOrder() throws Exception {
        SagaMethod start = handler("OrderPlaced");

        assertThat(start.invoke(PLACED, message, STATE, context, null)).isEqualTo(new State("o-1"));
        assertThat(ARGUMENTS).containsExactly(context, STATE, "acme", PLACED, message, message.headers());
    }

    @Test
    void givesAStartingHandlerNoStateWhereThereIsNone() throws Exception {
        Object unused = handler("OrderPlaced").invoke(PLACED, message, null, context, null);

        assertThat(ARGUMENTS).containsExactly(context, null, "acme", PLACED, message, message.headers());
    }

    @Test
    void throwsTheMethodsOwnException() {
        PaymentCaptured captured = new PaymentCaptured("o-1");

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> handler("PaymentCaptured").invoke(captured, message, STATE, context, null))
                .withMessage("disk");
        assertThat(ARGUMENTS).containsExactly(captured, STATE);
    }

    @Test
    void fillsTheParametersOfATimeout() throws Exception {
        SagaMethod late = requireNonNull(saga().timeouts().get("payment"));

        assertThat(late.invoke(null, message, STATE, context, null)).isEqualTo(new State("late"));
        assertThat(ARGUMENTS).containsExactly(message, STATE, context);
    }

    @Test
    void fillsTheParametersOfThePoisonedMethod() throws Exception {
        SagaMethod poisoned = requireNonNull(saga().poisoned());

        assertThat(poisoned.invoke(null, message, STATE, context, BLOCKED)).isNull();
        assertThat(ARGUMENTS).containsExactly(STATE, BLOCKED, "acme", context);
    }

    @Test
    void refusesNullInPlaceOfTheState() {
        SagaMethod careless = requireNonNull(saga().timeouts().get("careless"));

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> careless.invoke(null, message, STATE, context, null))
                .withMessageContaining("OrderSaga.careless()")
                .withMessageContaining("void")
                .satisfies(e -> assertThat(e.code()).isEqualTo(MisuseException.SAGA));
    }

    @BunnySaga(version = 4)
    static class Upgraded {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        @SuppressWarnings({"NullAway", "unused"}) // what a careless user writes
        static ObjectNode toNothing(ObjectNode old) {
            return null;
        }

        @Upgrade(from = 2)
        static ObjectNode checked(ObjectNode old) throws IOException {
            throw new IOException("disk");
        }

        @Upgrade(from = 3)
        static ObjectNode unchecked(ObjectNode old) {
            throw new IllegalStateException("not like this");
        }
    }

    @Test
    void saysWhichUpgradeFailed() {
        try (Handlers handlers = new Handlers(Upgraded.class)) {
            var upgrades = handlers.oneSaga().upgrades();
            ObjectNode old = JsonMapper.shared().createObjectNode();

            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(() -> requireNonNull(upgrades.get(1)).apply(old))
                    .withMessageContaining("Upgraded.toNothing(ObjectNode)");
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(() -> requireNonNull(upgrades.get(2)).apply(old))
                    .withMessageContaining("Upgraded.checked(ObjectNode)")
                    .withCauseInstanceOf(IOException.class);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> requireNonNull(upgrades.get(3)).apply(old))
                    .withMessage("not like this");
        }
    }

    private static SagaDefinition saga() {
        try (Handlers handlers = new Handlers(OrderSaga.class)) {
            return handlers.oneSaga();
        }
    }

    private static SagaMethod handler(String type) {
        return saga().handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .findFirst()
                .orElseThrow()
                .method();
    }
}
