// SPDX-License-Identifier: Apache-2.0
package io.safebunny.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Any;
import com.google.protobuf.BytesValue;
import com.google.protobuf.DescriptorProtos.UninterpretedOption.NamePart;
import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.sun.management.ThreadMXBean;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes that come with protobuf stand for generated ones: they are. */
class ProtobufSerializerTest {

    record Plain(String text) {}

    private final ProtobufMessageSerializer protobuf = new ProtobufMessageSerializer();

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    @Test
    void readsWhatItWrote() {
        for (Message message : List.of(
                Timestamp.newBuilder().setSeconds(-1).setNanos(999_999_999).build(),
                StringValue.of("Grüße, 🐇 ?"),
                StringValue.getDefaultInstance(),
                Int64Value.of(Long.MIN_VALUE),
                Any.pack(StringValue.of("within")),
                Struct.newBuilder()
                        .putFields("a", text("b"))
                        .putFields(
                                "c",
                                Value.newBuilder()
                                        .setListValue(ListValue.newBuilder().addValues(text("d")))
                                        .build())
                        .build())) {
            assertThat(protobuf.deserialize(protobuf.serialize(message), message.getClass()))
                    .isEqualTo(message);
        }
    }

    @Test
    void writesEqualMapsAsEqualBytes() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            keys.add("key-" + i);
        }
        byte[] first = struct(keys);
        Random random = new Random(3);
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(keys, random);
            assertThat(struct(keys)).isEqualTo(first);
        }
    }

    private byte[] struct(List<String> keys) {
        Struct.Builder struct = Struct.newBuilder();
        keys.forEach(key -> struct.putFields(key, text(key)));
        return protobuf.serialize(struct.build());
    }

    @Test
    void keepsFieldsThatItDoesNotKnow() {
        byte[] later = HexFormat.of().parseHex("0805a2060161"); // seconds = 5, and a text as field 100
        Timestamp read = (Timestamp) protobuf.deserialize(later, Timestamp.class);

        assertThat(read.getSeconds()).isEqualTo(5);
        assertThat(protobuf.serialize(read)).isEqualTo(later);
    }

    @ParameterizedTest
    @CsvSource({
        "0a, ends early",
        "0a05 61, announces more than there is",
        "0affffffff07 61, announces two gigabytes",
        "0affffffffffffffffff01 61, announces a negative length",
        "0a01ff, text that is no UTF-8",
        "0a0161 07, bytes after it that are no field",
        "7b2274223a2261227d, is JSON",
    })
    void refusesWhatIsNoMessageOfTheType(String hex, String why) {
        assertThatExceptionOfType(SerializationException.class)
                .as(why)
                .isThrownBy(
                        () -> protobuf.deserialize(HexFormat.of().parseHex(hex.replace(" ", "")), StringValue.class))
                .withMessageContaining("Cannot read protobuf as com.google.protobuf.StringValue: ");
    }

    /** Fields with their default are not in the body, and all others may be new. */
    @Test
    void readsABodyThatHasOnlyNewFields() {
        byte[] later = HexFormat.of().parseHex("a2060161"); // a text as field 100

        assertThat(protobuf.serialize(protobuf.deserialize(later, Timestamp.class)))
                .isEqualTo(later);
    }

    @Test
    void refusesToWriteWhatIsTooDeepToBeRead() {
        Value deepest = text("x");
        while (true) {
            byte[] body;
            try {
                body = protobuf.serialize(deepest);
            } catch (SerializationException e) {
                assertThat(e).hasMessageContaining("more than 100 messages within each other");
                break;
            }
            assertThat(protobuf.deserialize(body, Value.class)).isEqualTo(deepest);
            deepest = Value.newBuilder()
                    .setListValue(ListValue.newBuilder().addValues(deepest))
                    .build();
        }
        Value tooDeep = deepest;
        assertThatExceptionOfType(InvalidProtocolBufferException.class)
                .isThrownBy(() -> Value.parseFrom(tooDeep.toByteArray()));
    }

    @Test
    void allocatesNothingForWhatIsAnnounced() {
        byte[] body = HexFormat.of().parseHex("0affffffff0761");
        for (int i = 0; i < 1_000; i++) {
            refused(body, BytesValue.class);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        refused(body, BytesValue.class);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }

    private void refused(byte[] body, Class<?> type) {
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> protobuf.deserialize(body, type));
    }

    @Test
    void limitsNesting() {
        Value value = text("x");
        for (int i = 0; i < 200; i++) {
            value = Value.newBuilder()
                    .setListValue(ListValue.newBuilder().addValues(value))
                    .build();
        }
        refused(value.toByteArray(), Value.class);
    }

    @Test
    void refusesHalvesOfCharacters() {
        for (Message message : List.of(
                StringValue.of("\ud800"),
                Struct.newBuilder().putFields("a", text("a\udc07")).build())) {
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> protobuf.serialize(message))
                    .withMessageContaining("unpaired surrogate");
        }
    }

    @Test
    void refusesToWriteWhatNobodyCouldRead() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> protobuf.serialize(NamePart.newBuilder().buildPartial()))
                .withMessageContaining("missing name_part, is_extension");
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> protobuf.serialize(new Plain("a")));
    }

    @Test
    void preparesGeneratedClassesAlone() {
        protobuf.prepare(Timestamp.class);
        for (Class<?> type : List.of(Plain.class, Message.class, String.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> protobuf.prepare(type))
                    .withMessageContaining("SB-1112");
        }
    }

    @Test
    void readsTheContentTypesThatOthersWrite() {
        assertThat(protobuf.contentType()).isEqualTo("application/x-protobuf");
        for (String written : List.of(
                "application/x-protobuf",
                "Application/Protobuf; messageType=\"x.Y\"",
                "application/vnd.google.protobuf ;v=1")) {
            assertThat(protobuf.reads(written)).as(written).isTrue();
        }
        for (String written : List.of("", "application/json", "x-application/protobuf", "application/x; of=protobuf")) {
            assertThat(protobuf.reads(written)).as(written).isFalse();
        }
        assertThat(protobuf.toJson("{}".getBytes(StandardCharsets.UTF_8))).isNull();
    }
}
