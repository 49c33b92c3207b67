// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonKey;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.sun.management.ThreadMXBean;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;

/** What a class writes and does not read is not lost in silence. */
@SuppressWarnings({"unused", "NullAway"}) // classes as applications write them
class LostValuesTest {

    static class OwnId {
        private final UUID id = UUID.randomUUID();
        public String order = "7";

        public UUID getId() {
            return id;
        }
    }

    static class FilledByGetter {
        public String order = "7";
        private final List<String> lines = new ArrayList<>();

        public List<String> getLines() {
            return lines;
        }
    }

    /** As of Lombok's NoArgsConstructor(force = true), beside another one. */
    static class Defaults {
        public String order = "7";
        private final long cents;

        Defaults() {
            this(0);
        }

        Defaults(long amount) {
            this.cents = amount;
        }

        public long getCents() {
            return cents;
        }
    }

    static class PublicFinal {
        public String note = "n";
        public final @Nullable String order;

        public PublicFinal() {
            this(null);
        }

        PublicFinal(@Nullable String order) {
            this.order = order;
        }
    }

    /** Its constructor names its parameters otherwise. */
    static class Money {
        private final BigDecimal amount;
        private final String currency;

        public Money(BigDecimal a, String c) {
            this.amount = a;
            this.currency = c;
        }

        public BigDecimal getAmount() {
            return amount;
        }

        public String getCurrency() {
            return currency;
        }

        public boolean isZero() {
            return amount.signum() == 0;
        }
    }

    record Holder(List<Money> prices) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Paid.class, name = "paid"))
    interface Event {}

    static class Paid extends OwnId implements Event {}

    static class BesideUnwrapped {
        @JsonUnwrapped
        public Text text = new Text();

        private final UUID trace = UUID.randomUUID();
        private final String name;

        @JsonCreator
        BesideUnwrapped(@JsonProperty("name") String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }

        public UUID getTrace() {
            return trace;
        }
    }

    static class BesideUnwrappedOfABean extends OwnId {
        @JsonUnwrapped
        public Text text = new Text();
    }

    static class OfAConstructor extends OwnId {
        @JsonCreator
        OfAConstructor(@JsonProperty("name") String name) {}
    }

    static List<Object> losing() {
        FilledByGetter filled = new FilledByGetter();
        filled.getLines().add("a line");
        Money money = new Money(new BigDecimal("1.10"), "EUR");
        return List.of(
                new OwnId(),
                filled,
                new Defaults(5),
                new PublicFinal("7"),
                money,
                new Holder(List.of(money)),
                new BesideUnwrapped("n"),
                new BesideUnwrappedOfABean(),
                new OfAConstructor("n"),
                new Paid());
    }

    @ParameterizedTest
    @MethodSource("losing")
    void isRefusedWithItsName(Object payload) {
        for (JsonMapper mapper : List.of(
                JsonMapper.shared(),
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build())) {
            JsonMessageSerializer serializer = new JsonMessageSerializer(mapper, 10_000);
            byte[] body = serializer.serialize(payload);
            Class<?> type = payload instanceof Paid ? Event.class : payload.getClass();

            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> serializer.deserialize(body, type))
                    .withMessageContaining("would lose")
                    .withMessageNotContaining("1.10")
                    .withMessageNotContaining("a line");
        }
    }

    static class Sum {
        private final List<Integer> parts;
        private final int total;

        public Sum(List<Integer> parts) {
            this.parts = parts;
            this.total = parts.stream().mapToInt(Integer::intValue).sum();
        }

        public List<Integer> getParts() {
            return parts;
        }

        public int getTotal() {
            return total;
        }
    }

    static class Constant {
        private final String type = "order";
        private final List<String> lines = new ArrayList<>();
        public String order = "7";

        public String getType() {
            return type;
        }

        public List<String> getLines() {
            return lines;
        }
    }

    static class Said {
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        private final UUID id = UUID.randomUUID();

        private final UUID other = UUID.randomUUID();
        public String order = "7";

        public UUID getId() {
            return id;
        }

        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        public UUID getOther() {
            return other;
        }
    }

    @JsonIgnoreProperties(value = "id", allowGetters = true)
    static class SaidOfTheClass extends OwnId {}

    static class Around {
        @JsonUnwrapped
        public Constant constant = new Constant();

        public String name = "n";
    }

    @ParameterizedTest
    @ValueSource(classes = {Constant.class, Said.class, SaidOfTheClass.class, Around.class})
    void whatComesBackByItselfOrIsNotMeantToIsTaken(Class<?> type) throws Exception {
        JsonMessageSerializer serializer = new JsonMessageSerializer();
        Object payload = type.getDeclaredConstructor().newInstance();

        assertThat(serializer.deserialize(serializer.serialize(payload), type)).isInstanceOf(type);
    }

    @Test
    void aSumIsTakenIfItIsTheSame() {
        JsonMessageSerializer serializer = new JsonMessageSerializer();

        assertThat(serializer.deserialize(serializer.serialize(new Sum(List.of(1, 2))), Sum.class))
                .isInstanceOfSatisfying(
                        Sum.class, sum -> assertThat(sum.getTotal()).isEqualTo(3));
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.deserialize(bytes("{\"parts\":[1,2],\"total\":4}"), Sum.class))
                .withMessageContaining("[total]");
        assertThat(serializer.deserialize(bytes("{\"parts\":[1,2],\"total\":3.0}"), Sum.class))
                .isInstanceOf(Sum.class);
        assertThat(serializer.deserialize(bytes("{\"parts\":[1,2]}"), Sum.class))
                .isInstanceOf(Sum.class);
    }

    @Test
    void itsOwnPropertiesComeBackFromAmongOthers() {
        JsonMessageSerializer serializer = new JsonMessageSerializer();
        Around around = new Around();
        around.constant.order = "8";

        assertThat(serializer.deserialize(serializer.serialize(around), Around.class))
                .isInstanceOfSatisfying(
                        Around.class, read -> assertThat(read.constant.order).isEqualTo("8"));
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    enum Status {
        NEW("New"),
        PAID("Paid"),
        PAID_LATE("Paid");

        private final String label;

        Status(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    record Order(Status status) {}

    record ByStatus(Map<Status, Integer> counts) {}

    @ParameterizedTest
    @ValueSource(classes = {Order.class, ByStatus.class, Status.class, Status[].class})
    void constantsThatAreWrittenAlikeAreRefusedAtTheStart(Class<?> type) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new JsonMessageSerializer().prepare(type))
                .withMessageContaining("PAID and PAID_LATE")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1112"));
    }

    static class ByName extends ValueSerializer<Status> {
        @Override
        public void serialize(Status status, JsonGenerator json, SerializationContext context) {
            json.writeString(status.name());
        }
    }

    static class FromName extends ValueDeserializer<Status> {
        @Override
        public Status deserialize(JsonParser parser, DeserializationContext context) {
            return Status.valueOf(parser.getString());
        }
    }

    record WrittenByItsOwn(
            @JsonSerialize(using = ByName.class) @JsonDeserialize(using = FromName.class)
            Status status) {}

    record WrittenAsNumber(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Status status) {}

    record ManyAsNumbers(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) List<Status> all) {}

    enum Code {
        PAID,
        SETTLED;

        @JsonCreator
        static Code of(String text) {
            return text.equals("S") ? SETTLED : PAID;
        }

        @JsonKey
        String code() {
            return name().substring(0, 1);
        }

        @Override
        public String toString() {
            return "Done";
        }
    }

    record ByCode(Map<Code, Integer> counts) {}

    @ParameterizedTest
    @ValueSource(
            classes = {WrittenByItsOwn.class, WrittenAsNumber.class, ManyAsNumbers.class, Code.class, ByCode.class})
    void constantsThatAreNotWrittenByTheirTextAreTaken(Class<?> type) {
        assertThatCode(() -> new JsonMessageSerializer().prepare(type)).doesNotThrowAnyException();
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    static class Tolerant extends OwnId {}

    static class Text {
        public String currency = "eur";
    }

    /** Its parts are read by another class, and changed by itself. */
    static class Delegated {
        private final String currency;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegated(Text text) {
            this.currency = text.currency.toUpperCase(Locale.ROOT);
        }

        public String getCurrency() {
            return currency;
        }
    }

    @Test
    void aClassThatIgnoresUnknownNamesIsTakenAtItsWord() {
        JsonMessageSerializer serializer = new JsonMessageSerializer();

        assertThat(serializer.deserialize(serializer.serialize(new Tolerant()), Tolerant.class))
                .isInstanceOf(Tolerant.class);
    }

    @Test
    void whatAnotherClassReadsForItIsNotLost() {
        assertThat(new JsonMessageSerializer().deserialize(bytes("{\"currency\":\"eur\"}"), Delegated.class))
                .isInstanceOfSatisfying(
                        Delegated.class, read -> assertThat(read.getCurrency()).isEqualTo("EUR"));
    }

    static class Nested extends OwnId {
        public @Nullable Nested inner;
        public List<Integer> numbers = List.of();
        static int written;

        public boolean isWritten() {
            written++;
            return true;
        }
    }

    @Test
    void nothingIsWrittenForABodyWithoutSuchFields() {
        Nested.written = 0;

        assertThat(new JsonMessageSerializer().deserialize(bytes("{\"order\":\"8\",\"inner\":{}}"), Nested.class))
                .isInstanceOf(Nested.class);
        assertThat(Nested.written).isZero();
    }

    @Test
    void anObjectWithinOthersIsNotCopiedForEachOfThem() {
        int depth = 400;
        byte[] body = bytes(
                "{\"inner\":".repeat(depth) + "{\"numbers\":[" + "1000,".repeat(20_000) + "1]}" + "}".repeat(depth));
        JsonMessageSerializer serializer = new JsonMessageSerializer();
        Object unused = serializer.deserialize(bytes("{}"), Nested.class);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        Object read = serializer.deserialize(body, Nested.class);

        assertThat(read).isInstanceOf(Nested.class);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100L * body.length);
    }
}
