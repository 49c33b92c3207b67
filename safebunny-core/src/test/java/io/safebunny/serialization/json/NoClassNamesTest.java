// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;
import tools.jackson.databind.jsontype.impl.DefaultTypeResolverBuilder;

/** A body must not choose the class that is made of it, whatever the application's mapper and payloads say. */
class NoClassNamesTest {

    private static final PolymorphicTypeValidator ANYTHING = BasicPolymorphicTypeValidator.builder()
            .allowIfBaseType(Object.class)
            .allowIfSubType(Object.class)
            .build();

    /** Jackson's own validator refuses some of it; the application can replace it. */
    private static final JsonMapper LAX =
            JsonMapper.builder().polymorphicTypeValidator(ANYTHING).build();

    private static final int SIZE = 1_000;

    static final class Gadget {
        static boolean made;

        public void setCommand(String command) {
            made = true;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface ByClass {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
    interface ByMinimalClass {}

    record AnyProperty(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) @Nullable
            Object value) {}

    record AnyElement(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) List<Object> values) {}

    record AnyValue(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Map<String, Object> values) {}

    record OneClass(Class<?> value) {}

    record Classes(List<Map<String, Class<?>>> values) {}

    record OneJavaType(JavaType value) {}

    record Deeper(List<Map<String, AnyProperty>> values) {}

    record Typed(ByClass value) {}

    static final class Bean {
        @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
        public @Nullable Object value;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Harmless.class, name = "harmless"),
        @JsonSubTypes.Type(value = Hidden.class, name = "hidden")
    })
    interface Named {}

    record Harmless(String id) implements Named {}

    record Hidden(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) @Nullable
            Object value) implements Named {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes(@JsonSubTypes.Type(Harmless.class))
    interface Deduced {}

    record Plain(Object value) {}

    static Stream<UnaryOperator<JsonMapper.Builder>> defaultTyping() {
        return Stream.of(
                builder -> builder.activateDefaultTyping(ANYTHING),
                builder -> builder.activateDefaultTyping(ANYTHING, DefaultTyping.NON_FINAL),
                builder -> builder.activateDefaultTypingAsProperty(ANYTHING, DefaultTyping.JAVA_LANG_OBJECT, "kind"),
                builder -> builder.setDefaultTyping(new DefaultTypeResolverBuilder(
                        ANYTHING, DefaultTyping.NON_FINAL, JsonTypeInfo.As.WRAPPER_ARRAY)),
                builder -> builder.setDefaultTyping(new DefaultTypeResolverBuilder(
                        ANYTHING, DefaultTyping.NON_FINAL, JsonTypeInfo.As.PROPERTY, JsonTypeInfo.Id.NAME, "kind")));
    }

    @ParameterizedTest
    @MethodSource("defaultTyping")
    void aMapperWithDefaultTypingIsRefused(UnaryOperator<JsonMapper.Builder> typing) {
        JsonMapper mapper = typing.apply(JsonMapper.builder()).build();

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new JsonMessageSerializer(mapper, SIZE))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1310"))
                .withMessageContaining("default typing")
                .withMessageContaining("activateDefaultTyping");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ByClass.class,
                ByMinimalClass.class,
                AnyProperty.class,
                AnyElement.class,
                AnyValue.class,
                Deeper.class,
                OneClass.class,
                Classes.class,
                OneJavaType.class,
                Typed.class,
                Bean.class
            })
    void aPayloadThatNamesClassesIsRefusedAtTheStart(Class<?> payload) {
        requireRefused(new JsonMessageSerializer(LAX, SIZE), payload);
    }

    @Test
    void mixInsAreSeen() {
        requireRefused(
                new JsonMessageSerializer(
                        LAX.rebuild().addMixIn(Object.class, ByClass.class).build(), SIZE),
                Plain.class);
    }

    @Test
    void whatOnlyABodyLeadsToIsRefusedWhenItDoes() {
        JsonMessageSerializer serializer = new JsonMessageSerializer(LAX, SIZE);
        serializer.prepare(Named.class);
        String body = "{\"@type\":\"hidden\",\"value\":{\"@class\":\"%s\",\"command\":\"s3cret\"}}"
                .formatted(Gadget.class.getName());

        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.deserialize(body.getBytes(StandardCharsets.UTF_8), Named.class))
                .withMessageContaining("The body would choose a class")
                .withMessageNotContaining("s3cret");
        assertThat(Gadget.made).isFalse();
    }

    @ParameterizedTest
    @ValueSource(classes = {Named.class, Deduced.class, Plain.class, Map.class, Object.class})
    void othersAreTaken(Class<?> payload) {
        assertThatCode(() -> new JsonMessageSerializer().prepare(payload)).doesNotThrowAnyException();
    }

    @Test
    void aFactoryWhoseLimitsCannotBeSetIsRefused() {
        final class Factory extends JsonFactory {}

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new JsonMessageSerializer(
                        JsonMapper.builder(new Factory()).build(), SIZE))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1310"))
                .withMessageContaining("Factory");
    }

    private static void requireRefused(JsonMessageSerializer serializer, Type payload) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> serializer.prepare(payload))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1110"))
                .withMessageContaining(payload.getTypeName())
                .withMessageContaining("The body would choose a class");
    }
}
