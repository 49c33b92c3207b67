// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.fixture.OrderPlaced;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

class HandlerParametersTest {

    private static final OrderPlaced EVENT = new OrderPlaced("o-1", 1);
    private static final List<@Nullable Object> ARGUMENTS = new ArrayList<>();

    private static void called(@Nullable Object... arguments) {
        ARGUMENTS.addAll(Arrays.asList(arguments));
    }

    @BeforeEach
    void forget() {
        ARGUMENTS.clear();
    }

    static class All {
        @BunnyHandler(from = "orders")
        void on(
                MessageContext context,
                @Header("tenant") String tenant,
                OrderPlaced event,
                @Headers Map<String, Object> headers) {
            called(context, tenant, event, headers);
        }
    }

    @Test
    void fillsParametersInAnyOrder() throws Exception {
        MessageContext context = Handlers.message(Map.of("tenant", "acme"));
        invoke(All.class, context);

        assertThat(ARGUMENTS).containsExactly(context, "acme", EVENT, Map.of("tenant", "acme"));
    }

    static class Required {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event, @Header("priority") int priority) {
            called(event, priority);
        }
    }

    @Test
    void convertsAHeader() throws Exception {
        invoke(Required.class, Handlers.message(Map.of("priority", "7")));
        invoke(Required.class, Handlers.message(Map.of("priority", 8L)));

        assertThat(ARGUMENTS).containsExactly(EVENT, 7, EVENT, 8);
    }

    @Test
    void poisonsAMessageWithoutARequiredHeader() {
        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> invoke(Required.class, Handlers.message(Map.of())))
                .withMessageContaining("priority")
                .withMessageContaining("on(OrderPlaced, int)")
                .withMessageContaining("required = false");
    }

    @Test
    void poisonsAMessageWithAHeaderOfAnotherTypeWithoutPrintingIt() {
        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> invoke(Required.class, Handlers.message(Map.of("priority", "s3cret"))))
                .withMessageContaining("priority")
                .withMessageContaining("String")
                .withMessageContaining("int")
                .withMessageNotContaining("s3cret")
                .withNoCause();
    }

    static class Optional {
        @BunnyHandler(from = "orders")
        void on(
                OrderPlaced event,
                @Header(name = "tenant", required = false) @Nullable String tenant,
                @Header(name = "priority", defaultValue = "5") int priority,
                @Header String region) {
            called(event, tenant, priority, region);
        }
    }

    @Test
    void leavesOutAnOptionalHeaderAndTakesADefault() throws Exception {
        invoke(Optional.class, Handlers.message(Map.of("region", "eu")));

        assertThat(ARGUMENTS).containsExactly(EVENT, null, 5, "eu");
    }

    @Test
    void prefersTheHeaderToTheDefault() throws Exception {
        invoke(Optional.class, Handlers.message(Map.of("region", "eu", "priority", 9, "tenant", "acme")));

        assertThat(ARGUMENTS).containsExactly(EVENT, "acme", 9, "eu");
    }

    private static void invoke(Class<?> component, MessageContext context) throws Exception {
        try (Handlers handlers = new Handlers(component)) {
            handlers.one().invoker().invoke(EVENT, context);
        }
    }
}
