// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.nio.ByteBuffer;

/** The beginning of an AMQP 0-9-1 frame: type, channel, size, and the part of the payload that the accessors read. */
record Frame(int type, int channel, int size, ByteBuffer buffer, int start) {

    static final int PREFIX = 7;
    static final int PUBLISH = method(60, 40);
    static final int ACK = method(60, 80);

    private static final int METHOD = 1;
    private static final int HEADER = 2;
    private static final int BODY = 3;
    private static final int HEARTBEAT = 8;
    private static final int HEADER_UP_TO_SIZE = 12;
    private static final int CLASS_AND_WEIGHT = 4;

    /** Number of bytes that the accessors may need. */
    static final int HEAD = PREFIX + HEADER_UP_TO_SIZE;

    /** Reads the frame that starts at the buffer's position, which has at least a prefix. */
    static Frame at(ByteBuffer buffer) {
        int start = buffer.position();
        return new Frame(buffer.get(start), buffer.getShort(start + 1), buffer.getInt(start + 3), buffer, start);
    }

    /** Whether a frame can start with this octet. */
    static boolean startsWith(byte type) {
        return type == METHOD || type == HEADER || type == BODY || type == HEARTBEAT;
    }

    /** Total size, including the prefix and the end octet. */
    long length() {
        return PREFIX + Integer.toUnsignedLong(size) + 1;
    }

    boolean isMethod(int method) {
        return type == METHOD && size >= Integer.BYTES && buffer.getInt(start + PREFIX) == method;
    }

    boolean isHeader() {
        return type == HEADER && size >= HEADER_UP_TO_SIZE;
    }

    boolean isBody() {
        return type == BODY;
    }

    /** The length of the body that follows a content header. */
    long bodySize() {
        return buffer.getLong(start + PREFIX + CLASS_AND_WEIGHT);
    }

    private static int method(int classId, int methodId) {
        return (classId << Short.SIZE) | methodId;
    }
}
