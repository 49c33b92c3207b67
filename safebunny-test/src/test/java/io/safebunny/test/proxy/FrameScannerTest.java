// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import static io.safebunny.test.proxy.Frames.GREETING;
import static io.safebunny.test.proxy.Frames.ack;
import static io.safebunny.test.proxy.Frames.body;
import static io.safebunny.test.proxy.Frames.header;
import static io.safebunny.test.proxy.Frames.heartbeat;
import static io.safebunny.test.proxy.Frames.join;
import static io.safebunny.test.proxy.Frames.publish;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each stream is cut into pieces of every size, for a frame may end anywhere in what one read returns. */
class FrameScannerTest {

    private final Faults faults = new Faults();
    private final FrameScanner client = FrameScanner.ofClient(faults.ofClient());
    private final FrameScanner broker = FrameScanner.ofBroker(faults.ofBroker());

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 11, 18, 19, 20, 1000})
    void passesEverythingWhileNothingIsArmed(int piece) {
        byte[] sent = join(GREETING, heartbeat(), publish(1), header(1, 3), body(1, "abc"), ack(1, 1), heartbeat());

        Passed passed = feed(client, sent, piece);

        assertThat(passed.bytes()).isEqualTo(sent);
        assertThat(passed.isCut()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 13, 1000})
    void holdsBackTheBrokersNextAck(int piece) {
        faults.armConfirm();

        Passed passed = feed(broker, join(heartbeat(), body(1, "an answer"), ack(1, 1), heartbeat()), piece);

        assertThat(passed.bytes()).isEqualTo(join(heartbeat(), body(1, "an answer")));
        assertThat(passed.isCut()).isTrue();
        assertThat(faults.areArmed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 1000})
    void tellsTheClientsAckFromTheBrokers(int piece) {
        faults.armAcknowledgement();

        assertThat(feed(broker, ack(1, 1), piece).isCut()).isFalse();
        Passed passed = feed(client, join(GREETING, heartbeat(), ack(1, 1)), piece);
        assertThat(passed.bytes()).isEqualTo(join(GREETING, heartbeat()));
        assertThat(passed.isCut()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 9, 21, 1000})
    void countsAPublicationWhenItsLastBodyFrameHasPassed(int piece) {
        faults.armPublishes(3);
        byte[] counted = join(
                join(GREETING, publish(1), header(1, 0)),
                join(publish(1), publish(2), header(2, 5), header(1, 4), body(2, "ab"), body(1, "four"), body(2, "c")),
                body(2, "de"));

        Passed passed = feed(client, join(counted, publish(1), header(1, 0)), piece);

        assertThat(passed.bytes()).isEqualTo(counted);
        assertThat(passed.isCut()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "AMX", "\u0016\u0003\u0001", "hello", "a much longer text than a frame's head"})
    void letsOtherProtocolsPassAtOnce(String text) {
        faults.armAcknowledgement();
        byte[] sent = text.getBytes(StandardCharsets.US_ASCII);

        assertThat(feed(broker, sent, 1).bytes()).isEqualTo(sent);
        // the one text that may yet become AMQP waits for its next letter
        assertThat(feed(client, join(sent, sent), 1).bytes()).isEqualTo(join(sent, sent));
    }

    private static Passed feed(FrameScanner scanner, byte[] sent, int piece) {
        ByteArrayOutputStream passed = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(2048);
        for (int from = 0; from < sent.length; from += piece) {
            buffer.put(sent, from, Math.min(piece, sent.length - from)).flip();
            boolean isCut = scanner.advance(buffer);
            passed.write(buffer.array(), 0, buffer.position());
            buffer.compact();
            if (isCut) {
                return new Passed(passed.toByteArray(), true);
            }
        }
        return new Passed(passed.toByteArray(), false);
    }

    private record Passed(byte[] bytes, boolean isCut) {}
}
