// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.failure.MisuseException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a saga's state holds comes back with all its digits, however often it is read and written. */
class ExactStatesTest {

    record Account(BigDecimal balance) {}

    record Newer(BigDecimal balance, BigDecimal fee, double zero) {}

    record Numbers(BigInteger huge, long large, int small, double dbl, float flt, double zero, double tiny) {}

    record Loose(JsonNode tree, Map<String, Object> map) {}

    record Paid(Amount amount) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Euros.class, name = "euros"))
    sealed interface Amount permits Euros {}

    record Euros(BigDecimal euros) implements Amount {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1000000000000000.01",
                "0.50",
                "10000000.00",
                "1E+7",
                "0.00",
                "0E-10",
                "-0.10",
                "12345678901234567890123456789.123456789012345678901234567890",
                "1E-300"
            })
    void decimals(String digits) {
        BigDecimal balance = new BigDecimal(digits);
        StoredStates stored = new StoredStates().write(new Account(balance));
        Account account = stored.read(Account.class);

        assertThat(account.balance()).isEqualTo(balance); // and its scale
        assertThat(stored.write(account).write(account).read(Account.class)).isEqualTo(new Account(balance));
    }

    @Test
    void numbersOfAllTypes() {
        Numbers numbers = new Numbers(
                new BigInteger("123456789012345678901234567890"),
                Long.MAX_VALUE - 1,
                Integer.MIN_VALUE,
                0.1,
                0.1f,
                -0.0,
                Double.MIN_VALUE);

        StoredStates stored = new StoredStates().write(numbers).write(numbers);

        assertThat(stored.read(Numbers.class)).isEqualTo(numbers);
    }

    @Test
    void numbersWithoutAType() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode().put("cents", new BigDecimal("0.50"));
        Loose loose = new Loose(tree, Map.of("price", new BigDecimal("1000000000000000.010"), "count", 3));

        StoredStates stored = new StoredStates().write(loose).write(loose);

        assertThat(stored.read(Loose.class)).isEqualTo(loose);
    }

    @Test
    void numbersOfSubclasses() {
        Paid paid = new Paid(new Euros(new BigDecimal("1000000000000000.010")));

        assertThat(new StoredStates().write(paid).write(paid).read(Paid.class)).isEqualTo(paid);
    }

    @Test
    void numbersThatAnOlderVersionDoesNotKnow() {
        Newer newer = new Newer(new BigDecimal("1.10"), new BigDecimal("1000000000000000.010"), -0.0);
        StoredStates stored = new StoredStates().write(newer);
        stored.write(new Account(new BigDecimal("2.20")));

        assertThat(stored.read(Newer.class)).isEqualTo(new Newer(new BigDecimal("2.20"), newer.fee(), -0.0));
    }

    @Test
    void patches() {
        StoredStates stored = new StoredStates().write(new Account(BigDecimal.ZERO));
        stored.replace(Account.class, "{\"balance\":10000000.00}");

        assertThat(stored.read(Account.class).balance()).isEqualTo(new BigDecimal("10000000.00"));
        assertThat(stored.json()).isEqualTo("{\"balance\":10000000.00}");
    }

    /** The same value with another scale is another element. */
    @Test
    void elementsOfLists() {
        record Item(BigDecimal price) {}
        record Cart(List<Item> items) {}

        StoredStates stored =
                new StoredStates().write(new Cart(List.of(new Item(new BigDecimal("0.5")), new Item(BigDecimal.ONE))));
        Cart changed = new Cart(List.of(new Item(new BigDecimal("0.50")), new Item(BigDecimal.ONE)));

        assertThat(stored.write(changed).read(Cart.class)).isEqualTo(changed);
    }

    /** Of two keys that are written alike, only one would come back. */
    @Test
    void entriesOfMaps() {
        record Counts(Map<Object, Integer> counts) {}

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new StoredStates().write(new Counts(Map.of(1, 10, "1", 20))))
                .satisfies(e -> assertThat(e.code()).isEqualTo(MisuseException.SAGA));
    }

    @Test
    void tooManyDigitsAreRefusedByName() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new StoredStates().write(new Account(new BigDecimal("1." + "1".repeat(1_001)))))
                .withMessageContaining("Number value length");
    }

    @Test
    void timesWithTheirZones() {
        record Times(ZonedDateTime zoned, OffsetDateTime offset, Map<ZonedDateTime, Integer> byTime) {}

        ZonedDateTime berlin = ZonedDateTime.of(2026, 5, 1, 12, 0, 0, 0, ZoneId.of("Europe/Berlin"));
        Times times = new Times(berlin, OffsetDateTime.parse("2026-01-01T10:00:00+02:00"), Map.of(berlin, 1));

        assertThat(new StoredStates().write(times).write(times).read(Times.class))
                .isEqualTo(times);
        assertThat(new StoredStates()
                        .replace(
                                Times.class,
                                "{\"zoned\":\"2026-05-01T10:00:00Z\",\"offset\":\"2026-01-01T08:00:00Z\",\"byTime\":{}}")
                        .read(Times.class)
                        .zoned()
                        .toInstant())
                .isEqualTo(berlin.toInstant());
    }

    /** Within a state as deep as may be, the saga around it can still be read. */
    @Test
    void deepStates() {
        JsonNode tree = JsonMapper.shared().readTree("[".repeat(490) + "]".repeat(490));
        Loose deep = new Loose(tree, Map.of());

        assertThat(new StoredStates().write(deep).write(deep).read(Loose.class)).isEqualTo(deep);
    }
}
