// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import example.BunnyHop;
import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MessageTypesTest {

    record Nested(String id) {}

    @BunnyMessage("order_placed_v2")
    static class Named {}

    static class SubtypeOfNamed extends Named {}

    @BunnyMessage("order-placed")
    record NamedWrongly(String id) {}

    record _Odd(String id) {}

    @Test
    void isTheSimpleNameOfTheClass() {
        assertThat(MessageTypes.nameOf(OrderPlaced.class)).isEqualTo("OrderPlaced");
        assertThat(MessageTypes.nameOf(Nested.class)).isEqualTo("Nested");
    }

    @Test
    void isWhatTheAnnotationSays() {
        assertThat(MessageTypes.nameOf(Named.class)).isEqualTo("order_placed_v2");
    }

    @Test
    void isNotInherited() {
        assertThat(MessageTypes.nameOf(SubtypeOfNamed.class)).isEqualTo("SubtypeOfNamed");
    }

    @Test
    void refusesNamesThatCannotGoOnTheWire() {
        refused(NamedWrongly.class, "order-placed");
        refused(_Odd.class, "_Odd");
    }

    @Test
    void refusesNamesOfApplicationsThatAreReservedForTheLibrary() {
        refused(BunnyHop.class, "begin with Bunny");
        refused(BunnyHop.Forged.class, "begin with Bunny");
        assertThat(MessageTypes.nameOf(BunnyHop.Fine.class)).isEqualTo("bunnyHop");
        assertThat(MessageTypes.nameOf(BunnyUndone.class)).isEqualTo("BunnyUndone");
    }

    /** Lists, maps, lambda expressions: they are called otherwise by each of their makers. */
    @Test
    void refusesClassesWhoseNamesSayNothing() {
        class Local {}
        Runnable lambda = () -> {};
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Marked.class}, (self, method, arguments) -> null);
        Stream.of(
                        "text",
                        1,
                        'c',
                        1.5,
                        List.of(),
                        List.of(1, 2),
                        new ArrayList<>(),
                        Map.of("a", 1),
                        Optional.of(1),
                        LocalDate.EPOCH,
                        new BigDecimal("1"),
                        new Object(),
                        new int[0],
                        new OrderPlaced[0],
                        lambda,
                        proxy,
                        new Object() {},
                        new Local(),
                        Phase.DONE)
                .forEach(payload -> refused(payload.getClass(), "Use a record of your own", "SB-1111"));
    }

    interface Marked {}

    enum Phase {
        OPEN,
        DONE {
            @Override
            public String toString() {
                return "done";
            }
        }
    }

    @Test
    void takesEnumsAndLocalRecords() {
        record Local(String id) {}

        assertThat(MessageTypes.nameOf(Local.class)).isEqualTo("Local");
        assertThat(MessageTypes.nameOf(Phase.OPEN.getDeclaringClass())).isEqualTo("Phase");
    }

    private static void refused(Class<?> type, String told) {
        refused(type, told, "SB-1002");
    }

    private static void refused(Class<?> type, String told, String code) {
        for (int again = 0; again < 2; again++) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> MessageTypes.nameOf(type))
                    .withMessageContaining(told)
                    .withMessageContaining(type.getTypeName())
                    .satisfies(e -> assertThat(e.code()).isEqualTo(code));
        }
    }
}
