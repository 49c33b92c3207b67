// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "9", "billing", "billing-eu", "billing.eu_1"})
    void acceptsNodes(String node) {
        assertThat(Names.requireNode(node, "safebunny.node")).isEqualTo(node);
        assertThat(Names.isNode(node)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-a", ".a", "_a", "Billing", "bil ling", "billing#", "bill*ing", "bílling", "billing\n"})
    void refusesNodesAndSaysWhereTheNameCameFrom(String node) {
        assertThat(Names.isNode(node)).isFalse();
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> Names.requireNode(node, "safebunny.node"))
                .withMessageContaining("safebunny.node")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1001"))
                .satisfies(e -> assertThat(e.action()).contains("Set safebunny.node to"));
    }

    @Test
    void takesNodesOf100CharactersAndNotOf101() {
        assertThat(Names.isNode("n".repeat(100))).isTrue();
        assertThat(Names.isNode("n".repeat(101))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "a", "OrderPlaced", "Order_Placed", "Outer$Inner", "V2"})
    void acceptsTypes(String type) {
        assertThat(Names.requireType(type, "Some.class")).isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "9Lives", "_Order", "Order-Placed", "Order.Placed", "Order Placed", "Ördér", "Order[]"})
    void refusesTypesAndNamesTheClass(String type) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> Names.requireType(type, "Some.class"))
                .withMessageContaining("Some.class")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1002"))
                .satisfies(e -> assertThat(e.action()).contains("@BunnyMessage("));
    }

    @Test
    void takesTypesOf100CharactersAndNotOf101() {
        assertThat(Names.requireType("T".repeat(100), "x")).hasSize(100);
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> Names.requireType("T".repeat(101), "x"));
    }

    @Test
    void refusesTheTypeWhoseQueueWouldBeThePoisonQueue() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> Names.requireType("poison", "Some.class"))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1002"));
        assertThat(Names.requireType("Poison", "Some.class")).isEqualTo("Poison");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"safebunny", "a", "team.sagas", "amqp", "p2345678901234567890123456789012345678901234567890"})
    void acceptsPrefixes(String prefix) {
        assertThat(Names.requirePrefix(prefix)).isEqualTo(prefix);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "amq.sagas", "Safe", "p23456789012345678901234567890123456789012345678901"})
    void refusesPrefixesTheBrokerReservesOrThatAreTooLong(String prefix) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> Names.requirePrefix(prefix))
                .withMessageContaining("safebunny.topology.prefix")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1003"));
    }

    @Test
    void takesForeignIdsUpToTheirLimits() {
        assertThat(Names.isMessageId("i".repeat(128))).isTrue();
        assertThat(Names.isMessageId("i".repeat(129))).isFalse();
        assertThat(Names.isCorrelationId("c".repeat(64))).isTrue();
        assertThat(Names.isCorrelationId("c".repeat(65))).isFalse();
        assertThat(Names.isMessageId("")).isFalse();
        assertThat(Names.isMessageId("urn:a.b-c_1")).isTrue();
        assertThat(Names.isMessageId("a/b")).isFalse();
        assertThat(Names.isMessageId("a\n")).isFalse();
    }

    @Test
    void takesTheCharactersOfTheWireContractAndNoOthers() {
        for (int c = Character.MIN_VALUE; c <= Character.MAX_VALUE; c++) {
            String name = Character.toString(c);
            assertThat(Names.isNode(name)).as("node %x", c).isEqualTo(name.matches("[a-z0-9]"));
            assertThat(Names.isNode("n" + name)).as("node n%x", c).isEqualTo(name.matches("[a-z0-9_.-]"));
            assertThat(Names.isMessageId(name)).as("id %x", c).isEqualTo(name.matches("[A-Za-z0-9._:-]"));
        }
    }

    @Test
    void printsForeignTextOnOneLine() {
        assertThat(Names.printable("a\r\nb\tc\u0000d\u001be\u0085f\u2028g\u2029h"))
                .isEqualTo("a??b?c?d?e?f?g?h");
    }

    @Test
    void printsAtMost100CharactersOfForeignText() {
        assertThat(Names.printable("\u202eabc\u200b")).isEqualTo("?abc?");
        assertThat(Names.printable("a\ud83db")).isEqualTo("a?b"); // half a character, which JSON cannot express
        assertThat(Names.printable("x".repeat(11), 10)).isEqualTo("x".repeat(10) + "…");
        assertThat(Names.printable("x".repeat(100))).isEqualTo("x".repeat(100));
        assertThat(Names.printable("x".repeat(101))).isEqualTo("x".repeat(100) + "…");
    }

    @Test
    void addressesAreNodeHyphenType() {
        assertThat(Names.address("billing", "OrderPlaced")).isEqualTo("billing-OrderPlaced");
    }
}
