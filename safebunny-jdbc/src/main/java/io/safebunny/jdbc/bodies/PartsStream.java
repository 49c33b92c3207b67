// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.bodies;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads a body part by part, one of which is in memory. Confined to one thread. */
final class PartsStream extends InputStream {

    private final IntFunction<byte @Nullable []> parts;
    /** In bytes. */
    private long left;

    private int next;
    private byte[] part = new byte[0];
    private int position;

    /**
     * @param parts gives the part of a number, from 0 on; {@code null} if it is gone
     * @param length of all parts, in bytes
     */
    PartsStream(IntFunction<byte @Nullable []> parts, long length) {
        this.parts = parts;
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        if (position == part.length) {
            if (left == 0) {
                return -1;
            }
            byte[] content = parts.apply(next++);
            if (content == null || content.length == 0) {
                throw new IOException("The body was deleted while it was read");
            }
            part = content;
            position = 0;
            left -= content.length;
        }
        int read = Math.min(length, part.length - position);
        System.arraycopy(part, position, bytes, offset, read);
        position += read;
        return read;
    }
}
