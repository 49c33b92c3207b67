// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.safebunny.failure.policy.NotHandledException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.annotation.JsonPOJOBuilder;

/** A name that a class reads is its own, whatever it writes instead; only what nobody reads is another version's. */
@SuppressWarnings("NullAway") // Jackson sets what is not initialised, and some of it to null
class RenamedFieldsTest {

    record Old(String order, long cents) {}

    record Aliased(String order, @JsonAlias("cents") long totalCents) {}

    record Line(long cents, String unknown) {}

    record AliasedLine(@JsonAlias("cents") long totalCents) {}

    record Lines(Line line, List<Line> lines, Map<String, Line> map) {}

    record AliasedLines(
            @JsonAlias("line") AliasedLine first,
            @JsonAlias("lines") List<AliasedLine> all,
            Map<String, AliasedLine> map) {}

    static final class Setters {
        private long total;

        @JsonProperty("totalCents")
        long total() {
            return total;
        }

        @JsonSetter("cents")
        void old(long cents) {
            total = cents;
        }

        @JsonSetter("totalCents")
        void total(long cents) {
            total = cents;
        }
    }

    record Secret(
            String order,

            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            Long cents) {}

    static final class Created {
        @JsonProperty
        final long totalCents;

        @JsonCreator
        Created(@JsonProperty("cents") Long cents, @JsonProperty("totalCents") Long totalCents) {
            this.totalCents = totalCents != null ? totalCents : cents;
        }
    }

    static final class Any {
        private final Map<String, Object> all = new TreeMap<>();

        @JsonAnySetter
        void set(String name, Object value) {
            all.put(name.equals("cents") ? "totalCents" : name, value);
        }

        @JsonAnyGetter
        Map<String, Object> all() {
            return all;
        }
    }

    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Snake(@JsonAlias("cents") long totalCents) {}

    static final class Wrapping {
        @JsonUnwrapped
        AliasedLine amount;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", defaultImpl = Card.class)
    @JsonSubTypes(@JsonSubTypes.Type(value = Card.class, name = "card"))
    interface Payment {}

    record Card(@JsonAlias("cents") long totalCents) implements Payment {}

    @JsonIgnoreProperties("cents")
    record Ignoring(String order) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Tolerant(String order) {}

    @JsonDeserialize(builder = Built.Builder.class)
    record Built(String order) {
        @JsonPOJOBuilder(withPrefix = "")
        static final class Builder {
            private String order;

            Builder order(String value) {
                order = value;
                return this;
            }

            Built build() {
                return new Built(order);
            }
        }
    }

    private static StoredStates old() {
        return new StoredStates().write(new Old("7", 100));
    }

    @Test
    void anAlias() {
        StoredStates stored = old();
        for (long cents = 1100; cents <= 3100; cents += 1000) {
            stored.write(new Aliased("7", cents));
            assertThat(stored.read(Aliased.class)).isEqualTo(new Aliased("7", cents));
            assertThat(stored.json()).doesNotContain("\"cents\"");
        }
    }

    @Test
    void anAliasFurtherIn() {
        Line line = new Line(100, "x");
        StoredStates stored = new StoredStates().write(new Lines(line, List.of(line), Map.of("k", line)));
        AliasedLines read = stored.read(AliasedLines.class);
        stored.write(new AliasedLines(new AliasedLine(200), List.of(new AliasedLine(300)), read.map()));

        assertThat(stored.json())
                .isEqualTo(
                        "{'first':{'totalCents':200,'unknown':'x'},'all':[{'totalCents':300,'unknown':'x'}],'map':{'k':{'totalCents':100,'unknown':'x'}}}"
                                .replace('\'', '"'));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Aliased.class,
                AliasedLine.class,
                Setters.class,
                Secret.class,
                Created.class,
                Any.class,
                Snake.class,
                Ignoring.class,
                Wrapping.class,
                Card.class
            })
    void whateverReadsItByAnotherName(Class<?> type) {
        StoredStates stored =
                type == Wrapping.class ? new StoredStates().replace(Wrapping.class, "{\"totalCents\":100}") : old();
        stored.write(type, stored.read(type));

        assertThat(stored.json()).doesNotContain("\"cents\"");
        if (type != Secret.class && type != Ignoring.class) {
            assertThat(stored.json()).containsOnlyOnce("100");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Tolerant.class, Built.class})
    void whatNobodyReadsSurvives(Class<?> type) {
        StoredStates stored = old();
        stored.write(type, stored.read(type));

        assertThat(stored.read(Old.class)).isEqualTo(new Old("7", 100));
    }

    @Test
    void whatNobodyReadsSurvivesBesideUnwrappedFields() {
        StoredStates stored = new StoredStates().replace(Wrapping.class, "{\"totalCents\":100,\"other\":1}");
        stored.write(stored.read(Wrapping.class));

        assertThat(stored.json()).isEqualTo("{\"totalCents\":100,\"other\":1}");
    }

    @Test
    void whatNobodyReadsSurvivesInSubclasses() {
        record Paid(Payment payment) {}
        StoredStates stored =
                new StoredStates().replace(Paid.class, "{\"payment\":{\"other\":1,\"cents\":2,\"kind\":\"card\"}}");
        stored.write(new Paid(new Card(3)));

        assertThat(stored.json()).isEqualTo("{\"payment\":{\"kind\":\"card\",\"totalCents\":3,\"other\":1}}");
    }

    /** Its instances are not those that were read. */
    @Test
    void whatNobodyReadsSurvivesAConstructorThatCopies() {
        record Item(int count) {}
        record Items(List<Item> items) {
            Items {
                items = items.stream().map(item -> new Item(item.count())).toList();
            }
        }
        StoredStates stored = new StoredStates().replace(Items.class, "{\"items\":[{\"count\":1,\"other\":2}]}");
        stored.write(new Items(List.of(new Item(5))));

        assertThat(stored.json()).isEqualTo("{\"items\":[{\"count\":5,\"other\":2}]}");
    }

    // ---- renamed, and nothing says so

    record Customer(String order, String customer) {}

    record Client(String order, String client) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Noted(String order, String note) {}

    record Nested(Client who) {}

    @Test
    void aRenamedFieldIsNotSilentlyNull() {
        StoredStates stored = new StoredStates().write(new Customer("7", "Ann"));

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> stored.read(Client.class))
                .withMessageContaining("client")
                .withMessageContaining("customer")
                .withMessageContaining("@JsonAlias");
    }

    @Test
    void aRenamedFieldFurtherIn() {
        record Before(Customer who) {}
        StoredStates stored = new StoredStates().write(new Before(new Customer("7", "Ann")));

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> stored.read(Nested.class))
                .withMessageContaining("who.client");
    }

    @Test
    void aNewFieldAndAnUnknownFieldAreNoRenaming() {
        assertThat(new StoredStates().write(new Ignoring("7")).read(Client.class))
                .isEqualTo(new Client("7", null));
        assertThat(new StoredStates().write(new Old("7", 1)).read(Ignoring.class))
                .isEqualTo(new Ignoring("7"));
        assertThat(new StoredStates().write(new Old("7", 1)).read(Noted.class)).isEqualTo(new Noted("7", null));
        StoredStates nulls = new StoredStates().replace(Client.class, "{\"order\":\"7\",\"client\":null,\"other\":1}");
        assertThat(nulls.read(Client.class)).isEqualTo(new Client("7", null));
    }
}
