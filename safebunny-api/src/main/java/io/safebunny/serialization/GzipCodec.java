// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.message.Envelope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/**
 * Compresses bodies with gzip (RFC 1952). Stops decompressing as soon as a body exceeds the limit, so a small body cannot fill the
 * heap: it never holds more than the limit, and twice that while it joins the parts of what it accepts. Thread-safe.
 */
public final class GzipCodec implements BodyCodec {

    private static final String GZIP = "gzip";
    private static final int PORTION = 8 * 1024;

    @Override
    public String encoding() {
        return GZIP;
    }

    @Override
    public byte[] encode(Envelope message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes, PORTION)) {
            gzip.write(message.body());
        } catch (IOException e) { // cannot happen in memory
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public byte[] decode(Envelope message, long maxSize) {
        Inflater inflater = new Inflater(true);
        try {
            return new Decoding(message.body(), maxSize, inflater).all();
        } finally {
            inflater.end();
        }
    }

    /** Not by {@code GZIPInputStream}, whose stack overflows where there are many empty members. */
    private static final class Decoding {

        private static final int HEADER = 10;
        private static final int TRAILER = 8;
        private static final int MAGIC = 0x8b1f;
        private static final int DEFLATE = 8;
        private static final int HAS_CHECKSUM = 2;
        private static final int HAS_EXTRA = 4;
        private static final int HAS_NAME = 8;
        private static final int HAS_COMMENT = 16;
        private static final int RESERVED = 0xe0;

        private final ByteBuffer in;
        private final long maxSize;
        private final Inflater inflater;
        private final List<byte[]> full = new ArrayList<>();
        private byte[] portion = new byte[PORTION];
        private int used;
        private long size;

        Decoding(byte[] encoded, long maxSize, Inflater inflater) {
            this.in = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
            this.maxSize = maxSize;
            this.inflater = inflater;
        }

        byte[] all() {
            do {
                header();
                member();
            } while (in.hasRemaining());
            byte[] all = new byte[(int) size];
            int at = 0;
            for (byte[] part : full) {
                System.arraycopy(part, 0, all, at, part.length);
                at += part.length;
            }
            System.arraycopy(portion, 0, all, at, used);
            return all;
        }

        private void header() {
            require(in.remaining() >= HEADER);
            int begin = in.position();
            int magic = Short.toUnsignedInt(in.getShort());
            int method = in.get();
            int flags = in.get();
            require(magic == MAGIC && method == DEFLATE && (flags & RESERVED) == 0);
            in.position(begin + HEADER);
            if ((flags & HAS_EXTRA) != 0) {
                require(in.remaining() >= Short.BYTES);
                skip(Short.toUnsignedInt(in.getShort()));
            }
            if ((flags & HAS_NAME) != 0) {
                skipText();
            }
            if ((flags & HAS_COMMENT) != 0) {
                skipText();
            }
            if ((flags & HAS_CHECKSUM) != 0) {
                CRC32 checksum = new CRC32();
                checksum.update(in.array(), begin, in.position() - begin);
                require(in.remaining() >= Short.BYTES
                        && Short.toUnsignedInt(in.getShort()) == (checksum.getValue() & 0xffff));
            }
        }

        private void skip(int bytes) {
            require(in.remaining() >= bytes);
            in.position(in.position() + bytes);
        }

        private void skipText() {
            byte next;
            do {
                require(in.hasRemaining());
                next = in.get();
            } while (next != 0);
        }

        private void member() {
            CRC32 checksum = new CRC32();
            long before = size;
            inflater.reset();
            inflater.setInput(in.array(), in.position(), in.remaining());
            while (!inflater.finished()) {
                int length = inflate();
                checksum.update(portion, used, length);
                used += length;
                size += length;
                if (size > maxSize) {
                    throw CodecException.tooLarge(GZIP, maxSize);
                }
            }
            in.position(in.limit() - inflater.getRemaining());
            require(in.remaining() >= TRAILER
                    && Integer.toUnsignedLong(in.getInt()) == checksum.getValue()
                    && in.getInt() == (int) (size - before));
        }

        private int inflate() {
            if (used == portion.length) {
                full.add(portion);
                portion = new byte[PORTION];
                used = 0;
            }
            int length;
            try {
                length = inflater.inflate(portion, used, portion.length - used);
            } catch (DataFormatException e) {
                throw damaged();
            }
            require(length > 0 || inflater.finished());
            return length;
        }

        private static void require(boolean isGzip) {
            if (!isGzip) {
                throw damaged();
            }
        }

        private static CodecException damaged() {
            return new CodecException(
                    "Cannot decode the body [content_encoding=gzip]: it is not gzip, or it is damaged. Check how its sender compresses it",
                    null);
        }
    }
}
