// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.test.contract.SerializerPayloads.LaterOrder;
import io.safebunny.test.contract.SerializerPayloads.Line;
import io.safebunny.test.contract.SerializerPayloads.Order;
import io.safebunny.test.contract.SerializerPayloads.Text;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

/** How a serializer writes payloads and reads them back. */
interface PayloadRules {

    int MEGABYTE = 1 << 20;

    MessageSerializer tested();

    @Test
    default void acceptsPayloadTypesAtTheStart() {
        for (Type type : List.of(SerializerPayloads.Everything.class, Order.class, lines(), String.class)) {
            assertThatCode(() -> tested().prepare(type)).doesNotThrowAnyException();
        }
    }

    private static Type lines() {
        return new ParameterizedTypeReference<List<Line>>() {}.getType();
    }

    @Test
    default void readsWhatItWrote() {
        for (Object payload : SerializerPayloads.records()) {
            assertThat(tested().deserialize(tested().serialize(payload), payload.getClass()))
                    .isEqualTo(payload);
        }
    }

    @Test
    default void readsTheElementsOfAGenericType() {
        List<Line> lines = List.of(new Line("a", 1), new Line("b", 2));

        assertThat(tested().deserialize(tested().serialize(lines), lines())).isEqualTo(lines);
    }

    @Test
    default void readsALargePayload() {
        Text large = new Text("ü🐇\u0000".repeat(MEGABYTE / 4));

        assertThat(tested().deserialize(tested().serialize(large), Text.class).equals(large))
                .as("a megabyte of text is read as it was written")
                .isTrue();
    }

    /** Unpaired surrogates, which UTF-8 cannot express, must not silently become other text. */
    @Test
    default void keepsTextAsItIsOrRefusesIt() {
        for (String text : List.of("\ud800", "\udc07", "a\udc07\ud83d", "\ud83d\ud83d\udc07")) {
            byte[] body;
            try {
                body = tested().serialize(new Text(text));
            } catch (SerializationException e) {
                continue;
            }
            assertThat(tested().deserialize(body, Text.class)).isEqualTo(new Text(text));
        }
    }

    @Test
    default void skipsFieldsThatAReceiverDoesNotKnow() {
        LaterOrder later = new LaterOrder("7", 1999, List.of(new Line("a", 1)));

        assertThat(tested().deserialize(tested().serialize(later), Order.class)).isEqualTo(new Order("7"));
    }

    /** A handler that runs again publishes messages with the same ids, and these must have the same bodies. */
    @Test
    default void writesEqualPayloadsAsEqualBytes() {
        for (int i = 0; i < SerializerPayloads.records().size(); i++) {
            assertThat(tested().serialize(SerializerPayloads.records().get(i)))
                    .isEqualTo(tested().serialize(SerializerPayloads.records().get(i)));
        }
    }

    @Test
    default void givesAwayBytesAndChangesNone() {
        byte[] first = tested().serialize(new Text("the same"));
        byte[] before = first.clone();
        Object unused = tested().serialize(new Text("another"));
        assertThat(first).as("after the next one was written").isEqualTo(before);

        Object unusedToo = tested().deserialize(first, Text.class);
        assertThat(first).as("after it was read").isEqualTo(before);
    }

    @Test
    default void isUsedByManyThreadsAtOnce() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Text payload = new Text(("message " + i + ' ').repeat(500));
                results.add(threads.submit(
                        () -> payload.equals(tested().deserialize(tested().serialize(payload), Text.class))));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
