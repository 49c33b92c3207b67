// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.guard;

/**
 * Scans the bytes that a connection receives for message headers nested too deeply for the client library, and makes them harmless: the
 * type octet of such a value is changed to that of a byte array, which has the same layout but is not parsed further. Everything else
 * passes unchanged. One instance per connection, for one thread at a time.
 *
 * <p>The client parses tables and arrays recursively, each level through the streams of all levels above it. Measured with amqp-client
 * 5.30: a 128 KiB frame holds 26,200 nested arrays. They overflow any stack below 8 MiB, which ends the connection, and the broker
 * redelivers the message for ever; on a larger stack they take 25 seconds to parse. {@code frame_max} is no protection: brokers send
 * headers in one frame, however long they are.
 */
final class HeaderGuard {

    /** Maximum nesting of tables and arrays, counting the headers themselves as 1; {@code x-death} needs 4. */
    static final int DEEPEST = 8;

    private static final int HEADER_FRAME = 2;

    /** Flags of the string properties that precede the headers: content type and content encoding. */
    private static final int STRINGS_BEFORE = 0xC000;

    private static final int HEADERS = 0x2000;
    private static final byte BYTE_ARRAY = 'x';

    /**
     * The part of a frame that comes next, with its length in bytes. Each part is read as a number; the bytes that follow are then skipped
     * or parsed.
     */
    private enum Part {
        FRAME_TYPE(1),
        CHANNEL(2),
        FRAME_SIZE(4),
        /** Class, weight and body size. */
        FIXED(12),
        FLAGS(2),
        /** Length of a string property before the headers. */
        STRING(1),
        HEADERS(4),
        NAME(1),
        TYPE(1),
        TABLE(4),
        ARRAY(4),
        TEXT(4),
        /** Another value or the end of the enclosing table or array; which of them is known only when the position is reached. */
        VALUE_OR_END(0);

        private final int bytes;

        Part(int bytes) {
            this.bytes = bytes;
        }
    }

    private Part part = Part.FRAME_TYPE;
    private int missing = Part.FRAME_TYPE.bytes;
    private long number;
    private long skipped;
    private boolean isHeaderFrame;

    /** Offset in the current frame. */
    private long position;

    /** Length of the current frame, its end octet included. */
    private long frameEnd;

    /** String properties still to come before the headers. */
    private int strings;

    private final long[] ends = new long[DEEPEST];
    private final boolean[] isTable = new boolean[DEEPEST];
    private int depth;

    /** Parses the next bytes of the connection, and changes the types of values that the client must not parse. */
    void pass(byte[] bytes, int from, int count) {
        int end = from + count;
        int at = from;
        while (at < end) {
            if (skipped > 0) {
                int now = (int) Math.min(skipped, end - at);
                skipped -= now;
                position += now;
                at += now;
            } else if (part == Part.VALUE_OR_END) {
                nextValue();
            } else {
                if (part == Part.TYPE && depth == DEEPEST && isContainer(bytes[at])) {
                    bytes[at] = BYTE_ARRAY;
                }
                number = (number << 8) | (bytes[at] & 0xFF);
                position++;
                at++;
                if (--missing == 0) {
                    wasRead();
                }
            }
        }
    }

    private static boolean isContainer(byte type) {
        return type == 'A' || type == 'F';
    }

    private void begin(Part next) {
        part = next;
        missing = next.bytes;
        number = 0;
    }

    private void expect(Part next) {
        skip(0, next);
    }

    /** Skips bytes and continues with the part, if the frame has room for it. */
    private void skip(long count, Part next) {
        if (count + next.bytes >= frameEnd - position) {
            skipFrame(); // malformed: the client will reject it
        } else {
            skipped = count;
            begin(next);
        }
    }

    private void skipFrame() {
        depth = 0;
        skipped = frameEnd - position;
        begin(Part.FRAME_TYPE);
    }

    private void wasRead() {
        switch (part) {
            case FRAME_TYPE -> {
                isHeaderFrame = number == HEADER_FRAME;
                begin(Part.CHANNEL);
            }
            case CHANNEL -> begin(Part.FRAME_SIZE);
            case FRAME_SIZE -> {
                position = 0;
                frameEnd = number + 1;
                if (isHeaderFrame) {
                    expect(Part.FIXED);
                } else {
                    skipFrame();
                }
            }
            case FIXED -> expect(Part.FLAGS);
            case FLAGS -> {
                strings = Integer.bitCount((int) number & STRINGS_BEFORE);
                if ((number & HEADERS) == 0) {
                    skipFrame();
                } else {
                    expect(strings > 0 ? Part.STRING : Part.HEADERS);
                }
            }
            case STRING -> skip(number, --strings > 0 ? Part.STRING : Part.HEADERS);
            case HEADERS, TABLE -> enter(true);
            case ARRAY -> enter(false);
            case NAME -> skip(number, Part.TYPE);
            case TYPE -> value((char) number);
            case TEXT -> skip(number, Part.VALUE_OR_END);
            case VALUE_OR_END -> nextValue();
        }
    }

    private void enter(boolean table) {
        ends[depth] = position + number;
        isTable[depth] = table;
        depth++;
        expect(Part.VALUE_OR_END);
    }

    private void nextValue() {
        while (depth > 0 && position >= ends[depth - 1]) {
            depth--;
        }
        if (depth == 0) {
            skipFrame();
        } else {
            expect(isTable[depth - 1] ? Part.NAME : Part.TYPE);
        }
    }

    /** Value types and their sizes, as the client and the broker define them. */
    private void value(char type) {
        switch (type) {
            case 'V' -> expect(Part.VALUE_OR_END);
            case 't', 'b', 'B' -> skip(1, Part.VALUE_OR_END);
            case 's', 'u' -> skip(2, Part.VALUE_OR_END);
            case 'I', 'i', 'f' -> skip(4, Part.VALUE_OR_END);
            case 'D' -> skip(5, Part.VALUE_OR_END);
            case 'l', 'd', 'T' -> skip(8, Part.VALUE_OR_END);
            case 'S', BYTE_ARRAY -> expect(Part.TEXT);
            case 'F' -> expect(Part.TABLE);
            case 'A' -> expect(Part.ARRAY);
            default -> skipFrame(); // unknown to the client too: it will reject the frame
        }
    }
}
