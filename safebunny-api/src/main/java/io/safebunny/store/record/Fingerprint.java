// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.identity.FieldHash;
import io.safebunny.message.Envelope;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Distinguishes a duplicate from a different message with the same id, by type and body. Uses the decoded body, because a codec
 * may encode a duplicate differently; ignores headers and content type, which may differ. Pure.
 *
 * @param version how it was computed: {@link #SHA256}, or {@link #CHECKSUMS} in records created by earlier versions of SafeBunny
 * @param high the first 64 bits
 * @param low the next 64 bits; 0 for checksums
 */
public record Fingerprint(int version, long high, long low) {

    /** Two checksums of type and body: they detect mistakes, but not deliberate collisions. Only read, never used for new records. */
    public static final int CHECKSUMS = 1;

    /** The first 128 bits of SHA-256 over the length-prefixed type and the body. */
    public static final int SHA256 = 2;

    public static Fingerprint of(Envelope message) {
        ByteBuffer hash = ByteBuffer.wrap(FieldHash.sha256().add(message.type()).finish(message.body()));
        return new Fingerprint(SHA256, hash.getLong(), hash.getLong());
    }

    /** Whether the message has this fingerprint, computed in the same way. */
    public boolean isOf(Envelope message) {
        return equals(version == CHECKSUMS ? checksums(message) : of(message));
    }

    private static Fingerprint checksums(Envelope message) {
        byte[] type = message.type().getBytes(StandardCharsets.UTF_8);
        long both = checksum(new CRC32C(), type, message.body()) << 32 | checksum(new CRC32(), type, message.body());
        return new Fingerprint(CHECKSUMS, both, 0);
    }

    private static long checksum(Checksum checksum, byte[] type, byte[] body) {
        checksum.update(type, 0, type.length);
        checksum.update(body, 0, body.length);
        return checksum.getValue();
    }
}
