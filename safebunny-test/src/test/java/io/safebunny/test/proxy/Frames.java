// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The bytes of a few AMQP frames. */
final class Frames {

    static final byte[] GREETING = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

    private Frames() {}

    static byte[] ack(int channel, long tag) {
        return frame(1, channel, ByteBuffer.allocate(13).putInt(Frame.ACK).putLong(tag));
    }

    static byte[] publish(int channel) {
        return frame(1, channel, ByteBuffer.allocate(12).putInt(Frame.PUBLISH));
    }

    static byte[] header(int channel, long bodySize) {
        return frame(
                2,
                channel,
                ByteBuffer.allocate(14).putShort((short) 60).putShort((short) 0).putLong(bodySize));
    }

    static byte[] body(int channel, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return frame(3, channel, ByteBuffer.allocate(bytes.length).put(bytes));
    }

    static byte[] heartbeat() {
        return frame(8, 0, ByteBuffer.allocate(0));
    }

    static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    private static byte[] frame(int type, int channel, ByteBuffer payload) {
        return ByteBuffer.allocate(payload.capacity() + 8)
                .put((byte) type)
                .putShort((short) channel)
                .putInt(payload.capacity())
                .put(payload.rewind())
                .put((byte) 0xCE)
                .array();
    }
}
