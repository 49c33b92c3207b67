// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.serialization.MessageSerializer;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.InjectableValues;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleAbstractTypeResolver;
import tools.jackson.databind.module.SimpleModule;

/** A handler whose payload no body can become is refused at start, and no other. */
// classes as applications write them: Jackson does not see what is in them, or alone does
@SuppressWarnings({"unused", "UnusedVariable", "UnusedMethod", "NullAway", "ClassCanBeStatic", "EffectivelyPrivate"})
class ReadabilityTest {

    private static final int SIZE = 10_000;

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    static class Closed {
        private final String orderId;

        Closed(String orderId, String unused) {
            this.orderId = orderId;
        }

        public String getOrderId() {
            return orderId;
        }
    }

    /** As an all-args constructor of Lombok's builder. */
    static class Built {
        private final String orderId;

        private Built(String orderId) {
            this.orderId = orderId;
        }

        public String getOrderId() {
            return orderId;
        }
    }

    static class Mute {
        private String orderId = "1";
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    static class MuteWithAnnotations {
        private String orderId = "1";
    }

    static class MuteByInheritance extends Mute {}

    interface Shape {}

    abstract static class Figure {
        public String name;
    }

    sealed interface Step permits First {}

    record First(String id) implements Step {}

    class Inner {
        public String orderId;
    }

    static class Conflicting {
        private String order;

        public void setOrder(Shape order) {}

        public void setOrder(Mute order) {}

        public String getOrder() {
            return order;
        }
    }

    static class Choosing {
        @JsonCreator
        static Choosing of(String text) {
            return new Choosing();
        }

        @JsonCreator
        static Choosing ofParts(@JsonProperty("a") String a, @JsonProperty("b") String b) {
            return new Choosing();
        }

        @JsonCreator
        static Choosing ofOthers(@JsonProperty("c") String c, @JsonProperty("d") String d) {
            return new Choosing();
        }
    }

    record Holding(String id, Closed closed) {}

    record HoldingMany(Map<String, List<Closed>> closed) {}

    record HoldingAny(Shape shape) {}

    record HoldingMute(Mute mute) {}

    @ParameterizedTest
    @ValueSource(
            classes = {
                Closed.class,
                Mute.class,
                MuteWithAnnotations.class,
                MuteByInheritance.class,
                Shape.class,
                Figure.class,
                Inner.class,
                Conflicting.class,
                Choosing.class,
                Holding.class,
                HoldingMany.class,
                HoldingAny.class,
                HoldingMute.class,
                Runnable.class
            })
    void saysAtTheStartThatNothingCanBeRead(Class<?> type) {
        refused(type);
        refused(listOf(type));
    }

    @Test
    void saysSoOfLocalClassesToo() {
        class Local {
            public String orderId;
        }
        refused(Local.class);
    }

    private void refused(Type type) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> serializer.prepare(type))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1112"))
                .withMessageContaining(type.getTypeName())
                .withMessageNotContaining("line ");
    }

    private static Type listOf(Class<?> type) {
        return JsonMapper.shared().getTypeFactory().constructCollectionType(ArrayList.class, type);
    }

    record Marker() {}

    static class EmptyClass {}

    enum Kind {
        ONE,
        OTHER
    }

    static class Bean {
        private String orderId;
        private @Nullable Bean parent;

        public String getOrderId() {
            return orderId;
        }

        public void setOrderId(String orderId) {
            this.orderId = orderId;
        }

        public @Nullable Bean getParent() {
            return parent;
        }

        public void setParent(Bean parent) {
            this.parent = parent;
        }
    }

    static final class OneParameter {
        private final String orderId;

        public OneParameter(String orderId) {
            this.orderId = orderId;
        }

        public String getOrderId() {
            return orderId;
        }
    }

    static class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }
    }

    /** As a data class of Kotlin, or a Lombok {@code @Value}: with names of parameters. */
    static final class DataClass {
        private final String orderId;
        private final int count;

        public DataClass(String orderId, int count) {
            this.orderId = orderId;
            this.count = count;
        }

        public String getOrderId() {
            return orderId;
        }

        public int getCount() {
            return count;
        }
    }

    static class Anything {
        @JsonAnySetter
        private Map<String, Object> rest = new HashMap<>();

        @JsonAnyGetter
        public Map<String, Object> rest() {
            return rest;
        }
    }

    static class Id {
        private final String value;

        private Id(String value) {
            this.value = value;
        }

        @JsonCreator
        static Id of(String value) {
            return new Id(value);
        }

        @JsonValue
        String value() {
            return value;
        }
    }

    static class Delegating {
        private final Map<String, Object> all;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegating(Map<String, Object> all) {
            this.all = all;
        }
    }

    static class ByProperties {
        private final String orderId;

        @JsonCreator
        private ByProperties(@JsonProperty("orderId") String orderId) {
            this.orderId = orderId;
        }
    }

    @JsonDeserialize(builder = Buildable.Builder.class)
    static class Buildable {
        private final String orderId;

        private Buildable(String orderId) {
            this.orderId = orderId;
        }

        @JsonPOJOBuilder
        static class Builder {
            private String orderId;

            public Builder withOrderId(String id) {
                this.orderId = id;
                return this;
            }

            public Buildable build() {
                return new Buildable(orderId);
            }
        }
    }

    @JsonDeserialize(using = Own.class)
    interface ReadByOwn {}

    static class Own extends ValueDeserializer<ReadByOwn> {
        @Override
        public ReadByOwn deserialize(JsonParser parser, DeserializationContext context) {
            parser.skipChildren();
            return new ReadByOwn() {};
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Card.class, name = "card"))
    interface Payment {}

    record Card(String number) implements Payment {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Sealed permits Opened, Shut {}

    record Opened(String by) implements Sealed {}

    record Shut() implements Sealed {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes(@JsonSubTypes.Type(Deduced.class))
    interface ByDeduction {}

    record Deduced(String name) implements ByDeduction {}

    @JsonDeserialize(as = Concrete.class)
    interface HasDefault {}

    record Concrete(String id) implements HasDefault {}

    static class Unwrapping {
        @JsonUnwrapped
        public Bean inner;
    }

    record Injected(String id, @JacksonInject Clock clock) {}

    static class ReadOnly {
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        private String computed = "1";

        @JsonIgnore
        private String ignored = "1";

        private transient String cached;
    }

    record Holder(Object anything, Optional<Shape> shape, List<Payment> payments, Comparable<?> id, Number number) {}

    record Ignoring(String id, @JsonIgnore Shape shape) {}

    @JsonIgnoreProperties("shape")
    record IgnoringByName(String id, Shape shape) {}

    static class IgnoringBean {
        public String id;

        @JsonIgnore
        public Shape shape;

        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        public Shape computed;
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Marker.class,
                EmptyClass.class,
                Kind.class,
                OrderPlaced.class,
                Bean.class,
                DataClass.class,
                OneParameter.class,
                Failure.class,
                Anything.class,
                Id.class,
                Delegating.class,
                ByProperties.class,
                Buildable.class,
                ReadByOwn.class,
                Payment.class,
                Card.class,
                Sealed.class,
                ByDeduction.class,
                HasDefault.class,
                Unwrapping.class,
                Injected.class,
                ReadOnly.class,
                Holder.class,
                Ignoring.class,
                IgnoringByName.class,
                IgnoringBean.class,
                Object.class,
                String.class,
                byte[].class
            })
    void takesWhatCanBeRead(Class<?> type) {
        assertThatCode(() -> serializer.prepare(type)).doesNotThrowAnyException();
        assertThatCode(() -> serializer.prepare(listOf(type))).doesNotThrowAnyException();
    }

    static class Listing {
        private final List<String> items = new ArrayList<>();

        public List<String> getItems() {
            return items;
        }
    }

    @Test
    void takesClassesThatAreFilledByTheirGetters() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(MapperFeature.USE_GETTERS_AS_SETTERS)
                .build();
        JsonMessageSerializer filling = new JsonMessageSerializer(mapper, 10_000);

        assertThatCode(() -> filling.prepare(Listing.class)).doesNotThrowAnyException();
        assertThat(filling.deserialize("{\"items\":[\"a\"]}".getBytes(StandardCharsets.UTF_8), Listing.class))
                .isInstanceOfSatisfying(
                        Listing.class, listing -> assertThat(listing.getItems()).containsExactly("a"));
    }

    @Test
    void readsClassesThatHaveNothingToTell() {
        assertThat(serializer.deserialize("{}".getBytes(StandardCharsets.UTF_8), Marker.class))
                .isEqualTo(new Marker());
        assertThat(serializer.deserialize("{}".getBytes(StandardCharsets.UTF_8), EmptyClass.class))
                .isInstanceOf(EmptyClass.class);
    }

    @Test
    void asksTheMapperOfTheApplication() {
        JsonMapper knowing = JsonMapper.builder()
                .addModule(new SimpleModule()
                        .addDeserializer(Closed.class, new ClosedReader())
                        .setAbstractTypes(new SimpleAbstractTypeResolver().addMapping(Step.class, First.class)))
                .addMixIn(Built.class, WithCreator.class)
                .injectableValues(new InjectableValues.Std().addValue(Clock.class, Clock.systemUTC()))
                .build();
        MessageSerializer own = new JsonMessageSerializer(knowing, SIZE);

        for (Class<?> type : List.of(Closed.class, Built.class, Step.class, Holding.class)) {
            assertThatCode(() -> own.prepare(type)).doesNotThrowAnyException();
        }
        assertThat(own.deserialize("{\"id\":\"1\"}".getBytes(StandardCharsets.UTF_8), Step.class))
                .isEqualTo(new First("1"));
        refused(Step.class);
    }

    static class ClosedReader extends ValueDeserializer<Closed> {
        @Override
        public Closed deserialize(JsonParser parser, DeserializationContext context) {
            parser.skipChildren();
            return new Closed("", "");
        }
    }

    /** As of a class that was compiled without the names of parameters. */
    @Test
    void aConstructorForAnotherKindOfValueIsNone() {
        MessageSerializer nameless = new JsonMessageSerializer(
                JsonMapper.builder()
                        .annotationIntrospector(new JacksonAnnotationIntrospector() {
                            private static final long serialVersionUID = 1;

                            @Override
                            public @Nullable String findImplicitPropertyName(
                                    MapperConfig<?> config, AnnotatedMember member) {
                                return member instanceof AnnotatedParameter
                                        ? null
                                        : super.findImplicitPropertyName(config, member);
                            }
                        })
                        .build(),
                SIZE);

        for (Class<?> type : List.of(OneParameter.class, DataClass.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> nameless.prepare(type))
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1112"))
                    .withMessageContaining(type.getName());
        }
        for (Class<?> type : List.of(Id.class, OrderPlaced.class, Failure.class, ByProperties.class)) {
            assertThatCode(() -> nameless.prepare(type)).doesNotThrowAnyException();
        }
        assertThat(nameless.deserialize("\"1\"".getBytes(StandardCharsets.UTF_8), Id.class))
                .isInstanceOf(Id.class);
    }

    abstract static class WithCreator {
        @JsonCreator
        WithCreator(@JsonProperty("orderId") String orderId) {}
    }

    @Test
    void anotherSerializerMayReadIt() {
        MessageSerializer other = new MessageSerializer() {
            @Override
            public String contentType() {
                return "application/x-other";
            }

            @Override
            public boolean reads(String contentType) {
                return contentType.equals(contentType());
            }

            @Override
            public byte[] serialize(Object payload) {
                return new byte[0];
            }

            @Override
            public Object deserialize(byte[] body, Type target) {
                return new Closed("", "");
            }
        };

        assertThatCode(() -> new Serializers(List.of(other, serializer)).prepare(Closed.class))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new Serializers(List.of(serializer)).prepare(Closed.class));
    }
}
