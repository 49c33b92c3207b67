// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import example.BunnyHop;
import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
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
        refused(String[].class, "String[]");
        refused(new Object() {}.getClass(), MessageTypesTest.class.getName() + "$1");
    }

    @Test
    void refusesNamesOfApplicationsThatAreReservedForTheLibrary() {
        refused(BunnyHop.class, "begin with Bunny");
        refused(BunnyHop.Forged.class, "begin with Bunny");
        assertThat(MessageTypes.nameOf(BunnyHop.Fine.class)).isEqualTo("bunnyHop");
        assertThat(MessageTypes.nameOf(BunnyUndone.class)).isEqualTo("BunnyUndone");
    }

    private static void refused(Class<?> type, String told) {
        for (int again = 0; again < 2; again++) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> MessageTypes.nameOf(type))
                    .withMessageContaining(told)
                    .withMessageContaining(type.getName())
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1002"));
        }
    }
}
