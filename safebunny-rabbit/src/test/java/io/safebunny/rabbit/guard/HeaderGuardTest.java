// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client's own reader makes of what the guard lets pass. */
@SuppressWarnings("JavaUtilDate") // the client library's type for timestamps
@Timeout(30)
class HeaderGuardTest {

    private static final int FRAME = 128 * 1024;

    /** As little as a thread gets anywhere. */
    private static final long SMALL_STACK = 256 * 1024;

    @ParameterizedTest
    @CsvSource({"A, 5", "F, 6"})
    void theDeepestHeadersOfAFrameAreReadAtOnceWithASmallStack(char kind, int level) throws Exception {
        byte[] frame = headerFrame(nested(kind, (FRAME - 100) / level));

        AtomicReference<@Nullable Object> result = new AtomicReference<>();
        Thread reader = new Thread(
                null,
                () -> {
                    try {
                        result.set(read(guarded(frame, 4096)).getHeaders());
                    } catch (IOException | StackOverflowError e) {
                        result.set(e);
                    }
                },
                "reader",
                SMALL_STACK);
        reader.start();
        reader.join();

        assertThat(depth(result.get())).isEqualTo(HeaderGuard.DEEPEST);
    }

    private static int depth(@Nullable Object value) {
        if (value instanceof Map<?, ?> table) {
            return 1 + depth(table.isEmpty() ? null : table.values().iterator().next());
        }
        if (value instanceof List<?> list) {
            return 1 + depth(list.isEmpty() ? null : list.get(0));
        }
        assertThat(value).isInstanceOf(byte[].class);
        return 0;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 4096, Integer.MAX_VALUE})
    void everythingElsePassesUnchangedHoweverItIsCut(int piece) throws IOException {
        Random random = new Random(piece);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = 0; i < 500; i++) {
            stream.writeBytes(body(random.nextInt(5) == 0 ? 10_000 : random.nextInt(20)));
            stream.writeBytes(headerFrame(properties(random, HeaderGuard.DEEPEST)));
            stream.writeBytes(bytes(new AMQImpl.Basic.Deliver("tag", i, false, "exchange", "key").toFrame(1)));
        }

        assertThat(guarded(stream.toByteArray(), piece)).isEqualTo(stream.toByteArray());
    }

    @Test
    void whatIsTooDeepBecomesBytesAndWhatIsBesideItStays() throws IOException {
        Object deep = "bottom";
        for (int i = 0; i < HeaderGuard.DEEPEST; i++) {
            deep = i % 2 == 0 ? List.of(deep, 7) : Map.of("next", deep);
        }
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("before", 1L);
        headers.put("deep", deep);
        headers.put("after", "text");
        BasicProperties written = new BasicProperties.Builder()
                .contentType("application/json")
                .contentEncoding("UTF-8")
                .headers(headers)
                .messageId("id")
                .build();

        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(headerFrame(written));
        both.writeBytes(headerFrame(written));
        DataInputStream frames = new DataInputStream(new ByteArrayInputStream(guarded(both.toByteArray(), 5)));
        for (int i = 0; i < 2; i++) {
            BasicProperties read = properties(Frame.readFrom(frames, FRAME));
            assertThat(read.getHeaders()).containsEntry("before", 1L).containsKeys("deep", "after");
            assertThat(read.getMessageId()).isEqualTo("id");
            assertThat(depth(first(read.getHeaders().get("deep")))).isEqualTo(HeaderGuard.DEEPEST - 2);
        }
    }

    private static @Nullable Object first(@Nullable Object value) {
        return value instanceof Map<?, ?> table ? table.get("next") : value;
    }

    /** Whatever is in a frame, the next one is looked at again. */
    @Test
    void junkInOneFrameDoesNotHideTheNext() throws IOException {
        Random random = new Random(1);
        byte[] deep = headerFrame(nested('A', 1000));
        for (int i = 0; i < 2_000; i++) {
            byte[] junk = new byte[random.nextInt(200)];
            random.nextBytes(junk);
            byte[] frame = bytes(new Frame(AMQP.FRAME_HEADER, 1, junk));
            if (frame.length > 25) {
                frame[7 + 12] |= 0x20; // with headers
                ByteBuffer.wrap(frame).putInt(7 + 14, random.nextInt(junk.length));
            }
            byte[] both = ByteBuffer.allocate(frame.length + deep.length)
                    .put(frame)
                    .put(deep)
                    .array();
            DataInputStream frames = new DataInputStream(new ByteArrayInputStream(guarded(both, 16)));
            assertThat(Frame.readFrom(frames, FRAME).getPayload()).hasSize(junk.length);
            assertThat(depth(properties(Frame.readFrom(frames, FRAME)).getHeaders()))
                    .isEqualTo(HeaderGuard.DEEPEST);
        }
    }

    private static byte[] guarded(byte[] stream, int piece) {
        byte[] passed = stream.clone();
        HeaderGuard guard = new HeaderGuard();
        for (int from = 0; from < passed.length; ) {
            int count = Math.min(piece, passed.length - from);
            guard.pass(passed, from, count);
            from += count;
        }
        return passed;
    }

    private static BasicProperties read(byte[] frame) throws IOException {
        return properties(Frame.readFrom(new DataInputStream(new ByteArrayInputStream(frame)), FRAME));
    }

    private static BasicProperties properties(Frame frame) throws IOException {
        return (BasicProperties) AMQImpl.readContentHeaderFrom(frame.getInputStream());
    }

    private static byte[] bytes(Frame frame) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            frame.writeTo(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] body(int size) {
        byte[] body = new byte[size];
        Arrays.fill(body, (byte) 'A');
        return bytes(new Frame(AMQP.FRAME_BODY, 1, body));
    }

    private static byte[] headerFrame(BasicProperties properties) throws IOException {
        return bytes(properties.toFrame(1, 17));
    }

    private static byte[] headerFrame(byte[] headers) {
        ByteBuffer payload = ByteBuffer.allocate(14 + 4 + headers.length);
        payload.putShort((short) 60).putShort((short) 0).putLong(17).putShort((short) 0x2000);
        payload.putInt(headers.length).put(headers);
        return bytes(new Frame(AMQP.FRAME_HEADER, 1, payload.array()));
    }

    /** One header of arrays, or of tables without names, in each other. */
    private static byte[] nested(char kind, int depth) {
        int level = kind == 'A' ? 5 : 6;
        int inner = depth * level - (kind == 'A' ? 0 : 1);
        ByteBuffer bytes = ByteBuffer.allocate(2 + inner);
        bytes.put((byte) 1).put((byte) 'n');
        for (int i = depth - 1; i >= 0; i--) {
            bytes.put((byte) kind).putInt(level * i);
            if (kind == 'F' && i > 0) {
                bytes.put((byte) 0);
            }
        }
        return bytes.array();
    }

    private static BasicProperties properties(Random random, int deepest) {
        return new BasicProperties(
                random.nextBoolean() ? "text/plain" : null,
                random.nextBoolean() ? "UTF-8" : null,
                random.nextInt(4) == 0 ? null : table(random, deepest),
                random.nextBoolean() ? 2 : null,
                null,
                random.nextBoolean() ? "AFAFAF" : null,
                null,
                null,
                "id",
                random.nextBoolean() ? new Date(1_000) : null,
                "F",
                null,
                null,
                null);
    }

    private static Map<String, Object> table(Random random, int deepest) {
        Map<String, Object> table = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            table.put("k".repeat(random.nextInt(100)) + i, value(random, deepest - 1));
        }
        return table;
    }

    private static @Nullable Object value(Random random, int deepest) {
        return switch (random.nextInt(deepest > 0 ? 18 : 14)) {
            case 0 -> "A".repeat(random.nextInt(300));
            case 1 -> 1;
            case 2 -> 2L;
            case 3 -> true;
            case 4 -> (byte) 'A';
            case 5 -> (short) 5;
            case 6 -> 6.0f;
            case 7 -> 7.0;
            case 8 -> new BigDecimal("8.25");
            case 9 -> new Date(9_000);
            case 10 -> new byte[] {'F', 'A', 0, 0, 0, 1};
            case 11, 12, 13 -> null;
            case 14, 15 -> table(random, deepest);
            default -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    list.add(value(random, deepest - 1));
                }
                yield Collections.unmodifiableList(list);
            }
        };
    }
}
