// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;

/**
 * Checks that bytes are one sound CBOR value before Jackson reads them. Allocates nothing by what they announce. Jackson takes text that is no
 * UTF-8, ignores bytes after the value and follows references to texts. Thread-safe.
 */
final class CborBytes {

    /** Largest exponent of a decimal, as in JSON. */
    private static final int LARGEST_EXPONENT = 1_000;
    /** Bytes of an integer of 1,000 digits. */
    private static final int LARGEST_INTEGER = 416;

    /** An array of two, in the shortest form. */
    private static final int PAIR = 0x82;

    private static final int INDEFINITE = 31;
    private static final int BREAK = 0xff;
    private static final int BYTES = 2;
    private static final int TEXT = 3;
    private static final int ARRAY = 4;
    private static final int MAP = 5;
    private static final int TAG = 6;
    private static final int SIMPLE = 7;

    private final int maxDepth;
    private final long maxItems;

    CborBytes(StreamReadConstraints limits) {
        this.maxDepth = limits.getMaxNestingDepth();
        this.maxItems = limits.getMaxTokenCount();
    }

    /** @return what is wrong, without any of the content; {@code null} if nothing is */
    @Nullable
    String fault(byte[] body) {
        Walk walk = new Walk(body);
        try {
            walk.item(0);
            walk.requireEnd();
            return null;
        } catch (Unsound e) {
            return e.fault;
        }
    }

    /** Ends a walk at the first fault. */
    private static final class Unsound extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final String fault;

        Unsound(String fault) {
            super(fault, null, false, false);
            this.fault = fault;
        }
    }

    private final class Walk {

        private final byte[] body;
        private int at;
        private long items;
        private @Nullable CharsetDecoder decoder;
        private @Nullable CharBuffer decoded;

        Walk(byte[] body) {
            this.body = body;
        }

        void requireEnd() {
            if (at < body.length) {
                throw unsound("there are bytes after the value");
            }
        }

        void item(int depth) {
            if (depth > maxDepth) {
                throw new Unsound("nesting depth exceeds the maximum allowed (%s)".formatted(maxDepth));
            }
            if (++items > maxItems) {
                throw new Unsound("more than %s values; safebunny.max-message-size sets it".formatted(maxItems));
            }
            int initial = next();
            int major = initial >> 5;
            int info = initial & 31;
            if (info > 27 && info < INDEFINITE) {
                throw unsound("reserved length");
            }
            if (info == INDEFINITE) {
                indefinite(major, depth);
                return;
            }
            long argument = info < 24 ? info : number(1 << (info - 24));
            switch (major) {
                case BYTES -> skip(argument);
                case TEXT -> text(argument);
                case ARRAY -> several(argument, 1, depth);
                case MAP -> several(argument, 2, depth);
                case TAG -> tagged(argument, depth);
                case SIMPLE -> requireMeaning(info);
                default -> {} // integers end with their argument
            }
        }

        /** Of false, true, null, undefined and floating-point numbers. */
        private void requireMeaning(int info) {
            if (info < 20 || info == 24) {
                throw unsound("a simple value without a meaning");
            }
        }

        private void several(long count, int each, int depth) {
            if (count < 0 || count > (body.length - at) / each) {
                throw unsound("more elements are announced than there are bytes");
            }
            for (long i = 0; i < count * each; i++) {
                item(depth + 1);
            }
        }

        private void indefinite(int major, int depth) {
            switch (major) {
                case BYTES, TEXT -> {
                    while (!isBreak()) {
                        chunk(major);
                    }
                }
                case ARRAY -> {
                    while (!isBreak()) {
                        item(depth + 1);
                    }
                }
                case MAP -> {
                    while (!isBreak()) {
                        item(depth + 1);
                        item(depth + 1);
                    }
                }
                default -> throw unsound("a value without length that needs one");
            }
        }

        private boolean isBreak() {
            if (at < body.length && (body[at] & 0xff) == BREAK) {
                at++;
                return true;
            }
            return false;
        }

        private void chunk(int major) {
            int initial = next();
            int info = initial & 31;
            if (initial >> 5 != major || info > 27) {
                throw unsound("a chunk of another kind");
            }
            long length = info < 24 ? info : number(1 << (info - 24));
            if (major == TEXT) {
                text(length);
            } else {
                skip(length);
            }
        }

        private void tagged(long tag, int depth) {
            if (tag == 25 || tag == 256) {
                throw unsound("references to texts are not read");
            }
            if (tag == 4 || tag == 5) {
                requireSmallExponent();
            }
            int from = at;
            item(depth + 1);
            if ((tag == 2 || tag == 3) && at - from > LARGEST_INTEGER + 3) {
                throw unsound("a number has more than 1000 digits");
            }
        }

        /** Of an array of exponent and mantissa; anything else Jackson refuses. */
        private void requireSmallExponent() {
            int start = at;
            if (next() != PAIR) {
                throw unsound("a decimal that is no plain array of two");
            }
            int exponent = next();
            int info = exponent & 31;
            long value = info < 24 ? info : info > 27 ? -1 : number(1 << (info - 24));
            if (exponent >> 5 > 1 || value < 0 || value > LARGEST_EXPONENT) {
                throw unsound("exponent of a number exceeds the maximum allowed (%s)".formatted(LARGEST_EXPONENT));
            }
            at = start;
        }

        private int next() {
            if (at >= body.length) {
                throw unsound("it ends early");
            }
            return body[at++] & 0xff;
        }

        private long number(int bytes) {
            long number = 0;
            for (int i = 0; i < bytes; i++) {
                number = number << 8 | next();
            }
            return number;
        }

        private void skip(long length) {
            if (length < 0 || length > body.length - at) {
                throw unsound("it ends early: more bytes are announced than there are");
            }
            at += (int) length;
        }

        private void text(long length) {
            int from = at;
            skip(length);
            for (int i = from; i < at; i++) {
                if (body[i] < 0) {
                    requireUtf8(i);
                    return;
                }
            }
        }

        /** From the first byte that is not ASCII to where the text ends. */
        private void requireUtf8(int from) {
            CharsetDecoder utf8 = decoder;
            CharBuffer chars = decoded;
            if (utf8 == null || chars == null) {
                utf8 = StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
                chars = CharBuffer.allocate(1_024);
                decoder = utf8;
                decoded = chars;
            }
            ByteBuffer text = ByteBuffer.wrap(body, from, at - from);
            utf8.reset();
            while (true) {
                chars.clear();
                var result = utf8.decode(text, chars, true);
                if (result.isError()) {
                    throw unsound("a text is not UTF-8");
                }
                if (result.isUnderflow()) {
                    return;
                }
            }
        }

        private Unsound unsound(String fault) {
            return new Unsound(fault + ", at byte " + at);
        }
    }
}
