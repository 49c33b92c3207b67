// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static io.safebunny.test.contract.SerializerPayloads.SECRET;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.test.contract.SerializerPayloads.Endless;
import io.safebunny.test.contract.SerializerPayloads.Gadget;
import io.safebunny.test.contract.SerializerPayloads.Holder;
import io.safebunny.test.contract.SerializerPayloads.Other;
import io.safebunny.test.contract.SerializerPayloads.Refusing;
import io.safebunny.test.contract.SerializerPayloads.Text;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How a serializer treats bodies that it cannot or must not read, and payloads that it cannot or must not write. */
interface ForeignBodyRules {

    MessageSerializer tested();

    @Test
    default void readsTheTypeItIsAskedFor() {
        byte[] text = tested().serialize(new Text("a"));
        byte[] held = tested().serialize(new Holder(new Text("a")));

        assertThat(readOrRefused(text, Other.class)).isNotInstanceOf(Text.class);
        assertThat(readOrRefused(held, Holder.class)).isNotEqualTo(new Holder(new Text("a")));
    }

    @Test
    default void writesNoClassNames() {
        for (Object payload : List.of(new Text("a"), new Holder(new Text("a")))) {
            assertThat(new String(tested().serialize(payload), ISO_8859_1))
                    .doesNotContain(payload.getClass().getName())
                    .doesNotContain(Text.class.getName());
        }
    }

    @Test
    default void letsNoBodyChooseAClass() throws IOException {
        List<byte[]> bodies = naming(Gadget.class);
        int before = Gadget.made();
        for (byte[] body : bodies) {
            assertThat(readOrRefused(body, Object.class)).isNotInstanceOf(Gadget.class);
            Object held = readOrRefused(body, Holder.class);
            assertThat(held instanceof Holder holder && holder.value() instanceof Gadget)
                    .isFalse();
        }
        assertThat(Gadget.made()).isEqualTo(before);
    }

    /** Bodies that name a class, in the formats that let bodies choose their type. */
    private static List<byte[]> naming(Class<?> type) throws IOException {
        List<byte[]> bodies = new ArrayList<>();
        String name = type.getName();
        for (String pattern : List.of(
                "{\"@class\":\"%s\"}",
                "{\"@type\":\"%s\"}",
                "{\"$type\":\"%s\"}",
                "[\"%s\",{}]",
                "{\"value\":{\"@class\":\"%s\"}}",
                "{\"value\":[\"%s\",{}]}",
                "!!%s {}",
                "value: !!%s {}",
                "<%s/>")) {
            bodies.add(pattern.formatted(name).getBytes(UTF_8));
        }
        ByteArrayOutputStream java = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(java)) {
            out.writeObject(new Gadget());
        }
        bodies.add(java.toByteArray());
        return bodies;
    }

    @Test
    default void refusesABodyThatEndsEarly() {
        byte[] body = tested().serialize(new Text("a".repeat(1_000)));
        for (int length : new int[] {body.length / 2, body.length - 1}) {
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> tested().deserialize(Arrays.copyOf(body, length), Text.class));
        }
    }

    /** Any body either deserializes or fails with a {@link SerializationException}; the result is never {@code null}. */
    @Test
    default void readsAForeignBodyAsTheTypeOrRefusesIt() {
        for (byte[] body : foreign()) {
            Object read = readOrRefused(body, Text.class);
            assertThat(read).isNotNull();
            assertThat(read instanceof Text || read instanceof SerializationException)
                    .isTrue();
        }
    }

    private static List<byte[]> foreign() {
        List<byte[]> bodies = new ArrayList<>();
        Stream.of("", "null", "NULL", "~", "\"", "{}", "[]", "<a/>", "\ufeff", "{\"text\":{}}", "1e999999999")
                .forEach(text -> bodies.add(text.getBytes(UTF_8)));
        for (char one : new char[] {'[', '{', '"', '9', '<', 0, 0x7f, 0x80, 0xc0, 0xf6, 0xff}) {
            byte[] many = new byte[PayloadRules.MEGABYTE];
            Arrays.fill(many, (byte) one);
            bodies.add(many);
        }
        Random random = new Random(5);
        for (int i = 0; i < 100; i++) {
            byte[] some = new byte[random.nextInt(100)];
            random.nextBytes(some);
            bodies.add(some);
        }
        return bodies;
    }

    @Test
    default void writesAPayloadOrRefusesIt() {
        for (Object payload : List.of(new Endless(), new Refusing("a"), new Object())) {
            try {
                assertThat(tested().serialize(payload)).isNotNull();
            } catch (SerializationException e) {
                assertThat(e.code()).isEqualTo("SB-3004");
            }
        }
    }

    @Test
    default void tellsNothingOfThePayload() {
        byte[] body = tested().serialize(new Text(SECRET.repeat(100)));

        assertThat(whyRefused(() -> tested().deserialize(Arrays.copyOf(body, body.length - 1), Text.class)))
                .doesNotContain(SECRET);
        assertThat(whyRefused(() -> tested().deserialize(body, int[].class))).doesNotContain(SECRET);
        assertThat(whyRefused(() -> tested().serialize(new Refusing(SECRET)))).doesNotContain(SECRET);
    }

    private static String whyRefused(Runnable action) {
        try {
            action.run();
            return "";
        } catch (SerializationException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private Object readOrRefused(byte[] body, Class<?> type) {
        try {
            return tested().deserialize(body, type);
        } catch (SerializationException e) {
            return e;
        }
    }
}
