// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HandlerFailuresTest {

    static class Failing {
        private Throwable failure = new IllegalStateException();

        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) throws Throwable {
            throw failure;
        }
    }

    static List<Throwable> failures() {
        return List.of(
                new IOException("checked"),
                new IllegalStateException("unchecked"),
                new StackOverflowError("error"),
                new NoClassDefFoundError("another"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void arriveAsTheyWereThrown(Throwable failure) {
        try (Handlers handlers = new Handlers(Failing.class)) {
            handlers.bean(Failing.class).failure = failure;
            HandlerDefinition handler = handlers.one();

            assertThatThrownBy(() -> handler.invoker().invoke(new OrderPlaced("o-1", 1), Handlers.message(Map.of())))
                    .isSameAs(failure);
        }
    }

    @Test
    void thatAreNeitherExceptionsNorErrorsAreTold() {
        Throwable odd = new Throwable("odd");
        try (Handlers handlers = new Handlers(Failing.class)) {
            handlers.bean(Failing.class).failure = odd;
            HandlerDefinition handler = handlers.one();

            assertThatThrownBy(() -> handler.invoker().invoke(new OrderPlaced("o-1", 1), Handlers.message(Map.of())))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageStartingWith("SB-5006 ")
                    .hasCause(odd);
        }
    }
}
