// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AmqpMessagesTest {

    /** 200 bytes that are no UTF-8, as the client reads them. */
    private static final String UNREADABLE = "\uFFFD".repeat(200);

    @Test
    void readsNothingThatCouldNotBeWrittenAgain() {
        WireMessage message = AmqpMessages.read(
                new BasicProperties.Builder()
                        .messageId(UNREADABLE)
                        .correlationId(UNREADABLE)
                        .type(UNREADABLE)
                        .appId(UNREADABLE)
                        .contentType(UNREADABLE)
                        .contentEncoding(UNREADABLE)
                        .headers(Map.of(UNREADABLE, "value", "tenant", UNREADABLE))
                        .build(),
                new byte[0]);

        assertThat(Stream.of(
                        message.messageId(),
                        message.correlationId(),
                        message.type(),
                        message.appId(),
                        message.contentType(),
                        message.contentEncoding()))
                .allSatisfy(text -> assertThat(String.valueOf(text).getBytes(StandardCharsets.UTF_8))
                        .hasSizeBetween(1, 255));
        assertThat(message.headers()).containsOnly(Map.entry("tenant", UNREADABLE));
    }

    /** As text both would be the same two replacement characters, and whoever makes keys of headers would take one for the other. */
    @Test
    void headersThatAreNotUtf8AreNoText() {
        byte[] one = {(byte) 0xFF, (byte) 0xFE};
        byte[] another = {(byte) 0xC0, (byte) 0xC1};
        WireMessage message = AmqpMessages.read(
                new BasicProperties.Builder()
                        .headers(Map.of(
                                "one",
                                LongStringHelper.asLongString(one),
                                "another",
                                LongStringHelper.asLongString(another),
                                "genuine",
                                LongStringHelper.asLongString("\uFFFD 🐇")))
                        .build(),
                new byte[0]);

        assertThat(message.headers()).containsEntry("one", one).containsEntry("another", another);
        assertThat(Headers.application(message.headers())).containsOnly(Map.entry("genuine", "\uFFFD 🐇"));
    }

    @Test
    void keepsWhatFitsAsItIs() {
        String longest = "a".repeat(255);

        assertThat(AmqpMessages.read(
                                new BasicProperties.Builder().messageId(longest).build(), new byte[0])
                        .messageId())
                .isEqualTo(longest);
    }

    @Test
    void numbersAPublicationForItsReturnAndForNobodyElse() {
        WireMessage message = new WireMessage(
                "id-1", "saga", "Ping", "shop", null, null, null, Map.of("tenant", "acme"), new byte[0]);

        BasicProperties written = AmqpMessages.write(message, message.headers(), 4711, "billing");

        assertThat(AmqpMessages.sequence(written)).isEqualTo(4711);
        assertThat(written.getHeaders()).isEqualTo(message.headers());
        assertThat(written.getUserId()).isEqualTo("billing");
        assertThat(AmqpMessages.read(written, message.body())).isEqualTo(message);
    }

    private static final WireMessage URGENT = new WireMessage(
            "id-1", "saga", "Ping", "shop", null, null, "gzip", 7, Map.of("tenant", "acme"), new byte[0]);

    @Test
    void keepsPriorityAndEncoding() {
        BasicProperties written = AmqpMessages.write(URGENT, URGENT.headers(), 1, null);

        assertThat(written.getPriority()).isEqualTo(7);
        assertThat(AmqpMessages.read(written, URGENT.body())).isEqualTo(URGENT);
    }

    @Test
    void keepsThePriorityInTheLadder() {
        BasicProperties written = AmqpMessages.write(URGENT, Map.of("tenant", "acme", "sb-delay", "h06"), 1, null);

        assertThat(written.getPriority()).isEqualTo(7);
    }

    @Test
    void knowsNoPublicationWithoutANumber() {
        assertThat(AmqpMessages.sequence(new BasicProperties())).isZero();
        assertThat(AmqpMessages.sequence(
                        new BasicProperties.Builder().clusterId("east").build()))
                .isZero();
    }
}
