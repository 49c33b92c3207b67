// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import io.safebunny.failure.ConfigurationException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class SagaStateTest {

    record Simple(String order, long cents) {}

    record Empty() {}

    enum Phase {
        OPEN
    }

    record Rich(
            Simple nested,
            Phase phase,
            Instant at,
            UUID id,
            @Nullable String text,
            List<Simple> many,
            Map<String, List<Simple>> byName,
            Optional<String> optional,
            Object anything,
            JsonNode json,
            Comparable<?> comparable,
            @Nullable Rich parent) {}

    static final class Bean {
        private String order = "";

        public String getOrder() {
            return order;
        }

        public void setOrder(String order) {
            this.order = order;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Open.class), @JsonSubTypes.Type(Shut.class)})
    sealed interface Door permits Open, Shut {}

    record Open(int degrees) implements Door {}

    record Shut() implements Door {}

    record House(Door front, List<Door> others, Map<String, Door> byName) {}

    interface Plain {
        String name();
    }

    record OfPlain(
            @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(ThePlain.class))
            List<Plain> many) {}

    record ThePlain(String name) implements Plain {}

    @ParameterizedTest
    @ValueSource(classes = {Simple.class, Empty.class, Rich.class, Bean.class, Door.class, House.class, OfPlain.class})
    void takesWhatJacksonWritesAndReads(Class<?> type) {
        assertThatCode(() -> SagaState.requireStorable("OrderSaga.on(Placed)", type))
                .doesNotThrowAnyException();
    }

    record Wrapped(@JsonValue String text) {}

    abstract static class Abstract {
        public abstract String getOrder();
    }

    record WithPlain(Plain plain) {}

    record WithManyPlain(Map<String, List<Plain>> plains) {}

    record WithPlainInside(List<WithPlain> inside) {}

    static final class Locked {
        public String getOrder() {
            return "";
        }

        @SuppressWarnings("unused")
        private Locked(String order, int other, List<String> more) {}
    }

    static final class Hidden {
        @SuppressWarnings({"unused", "UnusedVariable"}) // Jackson sees no property
        private final String order = "o-1";
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface Unsafe {}

    record OfClass(Class<?> type) {}

    interface HasName {
        String getName();
    }

    static Stream<Arguments> flaws() {
        String noObject = "JSON object";
        return Stream.of(
                Arguments.of(int.class, noObject),
                Arguments.of(int[].class, noObject),
                Arguments.of(Simple[].class, noObject),
                Arguments.of(String.class, noObject),
                Arguments.of(Integer.class, noObject),
                Arguments.of(Object.class, noObject),
                Arguments.of(List.class, noObject),
                Arguments.of(Map.class, noObject),
                Arguments.of(Optional.class, noObject),
                Arguments.of(Instant.class, noObject),
                Arguments.of(UUID.class, noObject),
                Arguments.of(Phase.class, noObject),
                Arguments.of(ObjectNode.class, noObject),
                Arguments.of(Wrapped.class, noObject),
                Arguments.of(Hidden.class, "none of its fields"),
                Arguments.of(HasName.class, "HasName is abstract"),
                Arguments.of(Abstract.class, "Abstract is abstract"),
                Arguments.of(WithPlain.class, "Plain is abstract"),
                Arguments.of(WithManyPlain.class, "Plain is abstract"),
                Arguments.of(WithPlainInside.class, "Plain is abstract"),
                Arguments.of(Locked.class, "no constructor"),
                Arguments.of(Unsafe.class, "use=CLASS"),
                Arguments.of(OfClass.class, "class name"));
    }

    @ParameterizedTest
    @MethodSource("flaws")
    void refusesWhatCannotBeStored(Class<?> type, String flaw) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> SagaState.requireStorable("OrderSaga.on(Placed)", type))
                .withMessageStartingWith("SB-1107")
                .withMessageContaining("OrderSaga.on(Placed)")
                .withMessageContaining(type.getTypeName())
                .withMessageContaining(flaw)
                .withMessageContaining("Return a record");
    }
}
