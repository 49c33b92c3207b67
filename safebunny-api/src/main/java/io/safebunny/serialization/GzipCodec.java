// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.message.Envelope;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses bodies with gzip. Stops decompressing as soon as a body exceeds the limit, so a small body cannot fill the heap.
 * Thread-safe.
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
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(message.body()), PORTION)) {
            byte[] portion = new byte[PORTION];
            for (int length = gzip.read(portion); length >= 0; length = gzip.read(portion)) {
                if (bytes.size() + length > maxSize) {
                    throw CodecException.tooLarge(GZIP, maxSize);
                }
                bytes.write(portion, 0, length);
            }
        } catch (IOException e) {
            throw new CodecException(
                    "Cannot decode the body [content_encoding=gzip]: it is not gzip, or it is damaged. Check how its sender compresses it",
                    null);
        }
        return bytes.toByteArray();
    }
}
