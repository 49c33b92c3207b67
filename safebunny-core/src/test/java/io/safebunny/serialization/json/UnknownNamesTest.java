// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.json.JsonMapper;

/** A body whose names its class does not know is another message, whose fields would all be {@code null}. */
@SuppressWarnings({"NullAway", "UnusedVariable"}) // as applications write their classes, and Jackson fills them
class UnknownNamesTest {

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    private Object read(String json, Type type) {
        return read(serializer, json, type);
    }

    private static Object read(JsonMessageSerializer serializer, String json, Type type) {
        return serializer.deserialize(json.getBytes(StandardCharsets.UTF_8), type);
    }

    private static JsonMessageSerializer with(JsonMapper.Builder mapper) {
        return new JsonMessageSerializer(mapper.build(), 10_000);
    }

    private void refused(String json, Type type) {
        refused(serializer, json, type);
    }

    private static void refused(JsonMessageSerializer serializer, String json, Type type) {
        assertThatExceptionOfType(SerializationException.class)
                .as(json)
                .isThrownBy(() -> read(serializer, json, type))
                .withMessageContaining("none of the names in the body is known")
                .withMessageNotContaining("secret");
    }

    record Order(String orderId, String customerName) {}

    record Line(String sku, Line next) {}

    record Nested(String name, Line line) {}

    record Id(Line id) {}

    static class Bean {
        public String orderId;
        public Bean parent;
    }

    static class ReadThroughSetters {
        private String order;

        public void setOrderId(String orderId) {
            this.order = orderId;
        }
    }

    static class Child extends Bean {
        public String childName;
    }

    @JsonIgnoreProperties("internal")
    record Ignoring(String orderId) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Anything(String orderId) {}

    record Aliased(@JsonAlias("order") String orderId) {}

    record Written(
            @JsonProperty(access = JsonProperty.Access.READ_ONLY)
            String total,

            String orderId) {}

    static class Open {
        public String orderId;

        @JsonAnySetter
        public Map<String, Object> rest = new HashMap<>();
    }

    record Unwrapping(@JsonUnwrapped Bean inner, String ownName) {}

    static class UnwrappingBean {
        @JsonUnwrapped
        public Bean inner;

        public String ownName;
    }

    record Note(@JsonInclude(JsonInclude.Include.NON_NULL) String text) {
        public boolean isBlank() {
            return text == null;
        }
    }

    record Marker() {}

    static class MarkerBean {}

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
    record AnyCase(String orderId) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = CardBean.class, name = "bean"),
        @JsonSubTypes.Type(value = Free.class, name = "free")
    })
    interface Payment {}

    record Card(String cardNumber) implements Payment {}

    static class CardBean implements Payment {
        public String cardNumber;
    }

    record Free() implements Payment {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", defaultImpl = Other.class)
    @JsonSubTypes(@JsonSubTypes.Type(value = Invoice.class, name = "invoice"))
    interface Document {}

    record Invoice(String number) implements Document {}

    record Other(@Nullable String note) implements Document {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", visible = true)
    @JsonSubTypes(@JsonSubTypes.Type(value = Noted.class, name = "noted"))
    interface Told {}

    record Noted(String kind, String text) implements Told {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
    @JsonSubTypes(@JsonSubTypes.Type(value = Cash.class, name = "cash"))
    interface Wrapped {}

    record Cash(String amountPaid) implements Wrapped {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_ARRAY)
    @JsonSubTypes(@JsonSubTypes.Type(value = Coin.class, name = "coin"))
    interface InArray {}

    record Coin(String amountPaid) implements InArray {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes({@JsonSubTypes.Type(Left.class), @JsonSubTypes.Type(Right.class)})
    interface Deduced {}

    record Left(String leftHand) implements Deduced {}

    record Right(String rightHand) implements Deduced {}

    record Delegating(Order order) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegating {}
    }

    record DelegatingMap(Map<String, Object> all) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        DelegatingMap {}
    }

    static class Factory {
        final String orderId;

        private Factory(String orderId) {
            this.orderId = orderId;
        }

        @JsonCreator
        static Factory of(@JsonProperty("orderId") String orderId) {
            return new Factory(orderId);
        }
    }

    @JsonDeserialize(builder = Built.Builder.class)
    record Built(String orderId, Built part) {
        @JsonPOJOBuilder
        static class Builder {
            private String orderId;
            private Built part;

            public Builder withOrderId(String id) {
                this.orderId = id;
                return this;
            }

            public Builder withPart(Built one) {
                this.part = one;
                return this;
            }

            public Built build() {
                return new Built(orderId, part);
            }
        }
    }

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record AsArray(String orderId, Line line) {}

    @ParameterizedTest
    @ValueSource(
            classes = {
                Order.class,
                Bean.class,
                ReadThroughSetters.class,
                Child.class,
                Ignoring.class,
                Aliased.class,
                Written.class,
                UnwrappingBean.class,
                Delegating.class,
                Factory.class,
                Built.class
            })
    void refusesABodyOfWhichItsClassKnowsNoName(Class<?> type) {
        refused("{\"order_id\":\"secret\"}", type);
        refused(
                "{\"order_id\":\"secret\",\"customer_name\":{\"orderId\":\"secret\"},\"parts\":[{\"orderId\":1}]}",
                type);
    }

    @Test
    void takesAnyBodyAsTheClassForThoseThatNobodyKnows() {
        assertThat(read("{\"kind\":\"refund\",\"refundId\":\"1\"}", Document.class))
                .isEqualTo(new Other(null));
        refused("{\"kind\":\"invoice\",\"refundId\":\"1\"}", Document.class);
    }

    @Test
    void refusesTheNamesOfAnotherStrategyAndSaysWhatItKnows() {
        byte[] body = with(JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE))
                .serialize(new Order("secret", "secret"));

        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.deserialize(body, Order.class))
                .withMessageContaining("customerName, orderId")
                .withMessageContaining("property-naming-strategy")
                .withMessageNotContaining("secret")
                .withMessageNotContaining("order_id");
    }

    @Test
    void everyBodyIsJudgedByItself() {
        assertThat(read("{\"orderId\":\"1\",\"newer\":1}", Order.class)).isEqualTo(new Order("1", null));
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> read("{\"order_id\":\"1\",\"orderId\":[]}", Order.class))
                .withMessageNotContaining("none of the names");
        assertThat(read("{\"orderId\":\"1\"}", Order.class)).isEqualTo(new Order("1", null));
        refused("{\"order_id\":\"1\"}", Order.class);
        assertThat(read("{}", Order.class)).isEqualTo(new Order(null, null));
    }

    @Test
    void theNameThatChoosesTheClassIsNoneThatTheClassKnows() {
        refused("{\"kind\":\"card\",\"card_number\":\"secret\"}", Payment.class);
        refused("{\"card_number\":\"secret\",\"kind\":\"card\"}", Payment.class);
        refused("{\"kind\":\"bean\",\"card_number\":\"secret\"}", Payment.class);
        refused("{\"card_number\":\"secret\",\"kind\":\"bean\"}", Payment.class);
        refused("{\"cash\":{\"amount_paid\":\"secret\"}}", Wrapped.class);
        refused("[\"coin\",{\"amount_paid\":\"secret\"}]", InArray.class);
        assertThat(read("{\"kind\":\"card\",\"cardNumber\":\"1\"}", Payment.class))
                .isEqualTo(new Card("1"));
        assertThat(read("{\"kind\":\"card\",\"cardNumber\":\"1\",\"newer\":1}", Payment.class))
                .isEqualTo(new Card("1"));
        assertThat(read("{\"cash\":{\"amountPaid\":\"1\",\"newer\":1}}", Wrapped.class))
                .isEqualTo(new Cash("1"));
        assertThat(read("{\"rightHand\":\"1\",\"newer\":1}", Deduced.class)).isEqualTo(new Right("1"));
    }

    @Test
    void typeInformationAloneIsEnoughForAClassThatNeedsNothingElse() {
        assertThat(read("{\"kind\":\"card\"}", Payment.class)).isEqualTo(new Card(null));
        assertThat(read("{\"kind\":\"free\",\"newer\":1}", Payment.class)).isEqualTo(new Free());
        assertThat(read("{\"kind\":\"noted\",\"newer\":1}", Told.class)).isEqualTo(new Noted("noted", null));
        assertThat(read("{\"cash\":{}}", Wrapped.class)).isEqualTo(new Cash(null));
    }

    @Test
    void oneKnownNameIsEnough() {
        assertThat(read("{\"newer\":2,\"newest\":3,\"orderId\":\"1\"}", Order.class))
                .isEqualTo(new Order("1", null));
        assertThat(read("{\"newer\":2,\"orderId\":null}", Order.class)).isEqualTo(new Order(null, null));
        assertThat(read("{\"order\":\"1\",\"newer\":2}", Aliased.class)).isEqualTo(new Aliased("1"));
        assertThat(read("{\"internal\":\"1\",\"newer\":2}", Ignoring.class)).isEqualTo(new Ignoring(null));
        assertThat(read("{\"total\":\"1\",\"newer\":2}", Written.class)).isEqualTo(new Written(null, null));
        assertThat(((Open) read("{\"any\":\"1\"}", Open.class)).rest).containsEntry("any", "1");
        assertThat(((Unwrapping) read("{\"orderId\":\"1\",\"newer\":2}", Unwrapping.class)).inner().orderId)
                .isEqualTo("1");
        assertThat(read("{\"part\":{\"newer\":1},\"newer\":2}", Built.class))
                .isEqualTo(new Built(null, new Built(null, null)));
    }

    @Test
    void whatAClassWritesItTakesBack() {
        assertThat(serializer.serialize(new Note(null))).asString().isEqualTo("{\"blank\":true}");
        assertThat(read("{\"blank\":true}", Note.class)).isEqualTo(new Note(null));
    }

    @Test
    void whatIsNestedMayBeNewer() {
        assertThat(read("{\"line\":{\"newer\":1}}", Nested.class)).isEqualTo(new Nested(null, new Line(null, null)));
        assertThat(read("{\"next\":{\"newer\":1}}", Line.class)).isEqualTo(new Line(null, new Line(null, null)));
        assertThat(read("{\"id\":{\"id\":1}}", Id.class)).isEqualTo(new Id(new Line(null, null)));
        assertThat(read("[\"1\",{\"newer\":1}]", AsArray.class)).isEqualTo(new AsArray("1", new Line(null, null)));
    }

    @Test
    void whatHasNoNamesHasNoneUnknown() {
        assertThat(read("{}", Order.class)).isEqualTo(new Order(null, null));
        assertThat(read("{}", Delegating.class)).isEqualTo(new Delegating(new Order(null, null)));
        assertThat(read("[]", List.class)).isEqualTo(List.of());
        assertThat(read("\"a\"", String.class)).isEqualTo("a");
    }

    @Test
    void aClassWithoutPropertiesHasNothingToLose() {
        assertThat(read("{\"newer\":1}", Marker.class)).isEqualTo(new Marker());
        assertThat(read("{\"newer\":1}", MarkerBean.class)).isInstanceOf(MarkerBean.class);
        assertThat(read("{\"newer\":1}", Object.class)).isEqualTo(Map.of("newer", 1));
        assertThat(read("{\"newer\":1}", JsonNode.class)).hasToString("{\"newer\":1}");
        assertThat(read("{\"newer\":1}", DelegatingMap.class)).isEqualTo(new DelegatingMap(Map.of("newer", 1)));
    }

    @Test
    void aClassThatSaysSoTakesAnyBody() {
        assertThat(read("{\"newer\":1}", Anything.class)).isEqualTo(new Anything(null));
    }

    @Test
    void whatTheMapperReadsInItsOwnWayIsKnown() {
        JsonMessageSerializer anyCase =
                with(JsonMapper.builder().enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES));
        assertThat(read(anyCase, "{\"ORDERID\":\"1\",\"newer\":1}", Order.class))
                .isEqualTo(new Order("1", null));
        assertThat(read("{\"ORDERID\":\"1\",\"newer\":1}", AnyCase.class)).isEqualTo(new AnyCase("1"));

        JsonMessageSerializer wrapped = with(JsonMapper.builder().enable(DeserializationFeature.UNWRAP_ROOT_VALUE));
        assertThat(read(wrapped, "{\"Order\":{\"orderId\":\"1\",\"newer\":1}}", Order.class))
                .isEqualTo(new Order("1", null));
        refused(wrapped, "{\"Order\":{\"order_id\":\"secret\"}}", Order.class);

        JsonMessageSerializer handled = with(JsonMapper.builder().addHandler(new DeserializationProblemHandler() {
            @Override
            public boolean handleUnknownProperty(
                    DeserializationContext context,
                    JsonParser parser,
                    ValueDeserializer<?> reader,
                    Object beanOrClass,
                    String name) {
                if (name.equals("order_id")) {
                    ((Bean) beanOrClass).orderId = parser.getString();
                }
                return name.equals("order_id");
            }
        }));
        assertThat(((Bean) read(handled, "{\"order_id\":\"1\"}", Bean.class)).orderId)
                .isEqualTo("1");
        refused(handled, "{\"order_number\":\"secret\"}", Bean.class);
    }

    @Test
    void aStepsResultIsRefusedToo() {
        refused(JsonMessageSerializer.ofResults(), "{\"order_id\":\"secret\"}", Order.class);
    }

    @Test
    void aBodyOfVeryManyUnknownNamesIsReadWithinItsLimits() {
        StringBuilder body = new StringBuilder("{");
        for (int i = 0; i < 100_000; i++) {
            body.append("\"n").append(i).append("\":1,");
        }

        assertThat(read(body + "\"orderId\":\"1\"}", Order.class)).isEqualTo(new Order("1", null));
    }
}
