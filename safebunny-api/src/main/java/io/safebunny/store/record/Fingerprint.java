// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.identity.FieldHash;
import io.safebunny.message.ContentTypes;
import io.safebunny.message.Envelope;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Distinguishes a duplicate from a different message with the same id, by type and body. Uses the decoded body, because a codec
 * may encode a duplicate differently; ignores headers and content type, which may differ. Pure.
 *
 * @param version how it was computed: {@link #SHA256}, {@link #SECRET} where bodies are encrypted, or {@link #CHECKSUMS} in records created
 *     by earlier versions of SafeBunny
 * @param high the first 64 bits
 * @param low the next 64 bits; 0 for checksums
 */
public record Fingerprint(int version, long high, long low) {

    /** Two checksums of type and body: they detect mistakes, but not deliberate collisions. Only read, never used for new records. */
    public static final int CHECKSUMS = 1;

    /** The first 128 bits of SHA-256 over the length-prefixed type and the body. */
    public static final int SHA256 = 2;

    /** A {@linkplain Envelope#secretHash secret hash}: 32 bits that name its secret, and 96 that depend on id, type and body. */
    public static final int SECRET = 3;

    private static final int BITS_OF_NAME = 32;
    /** No secret hash is that. */
    private static final byte[] UNREADABLE = HexFormat.of().parseHex("ff".repeat(16));

    /** The {@linkplain Envelope#secretHash secret hash} of a body that nobody can read any more: it is compared with no other. */
    public static byte[] unreadable() {
        return UNREADABLE.clone();
    }

    public static Fingerprint of(Envelope message) {
        byte[] secret = message.secretHash();
        return secret == null ? sha256(message) : of(SECRET, secret);
    }

    private static Fingerprint sha256(Envelope message) {
        return of(SHA256, FieldHash.sha256().add(message.type()).finish(compared(message)));
    }

    private static Fingerprint of(int version, byte[] bytes) {
        ByteBuffer hash = ByteBuffer.wrap(bytes);
        return new Fingerprint(version, hash.getLong(), hash.getLong());
    }

    /** Whether the message has this fingerprint, computed in the same way. Also true if it cannot be, because the secret is another one. */
    public boolean isOf(Envelope message) {
        if (Arrays.equals(message.secretHash(), UNREADABLE)) {
            return true;
        }
        return switch (version) {
            case CHECKSUMS -> equals(checksums(message));
            case SECRET -> isOfSecret(of(message));
            default -> equals(sha256(message));
        };
    }

    private boolean isOfSecret(Fingerprint now) {
        return now.version != SECRET || now.high >>> BITS_OF_NAME != high >>> BITS_OF_NAME || equals(now);
    }

    /**
     * What of the body a fingerprint depends on: all of it; of protobuf, how often each byte is in it, because a sender may write the fields and the entries of maps of one message in
     * another order when it sends it again. Two messages of which one has the bytes of the other in another order count as one.
     */
    public static byte[] compared(Envelope message) {
        if (!ContentTypes.isProtobuf(message.contentType())) {
            return message.body();
        }
        int[] counts = new int[256];
        for (byte b : message.body()) {
            counts[b & 0xff]++;
        }
        ByteBuffer compared = ByteBuffer.allocate(counts.length * Integer.BYTES);
        compared.asIntBuffer().put(counts);
        return compared.array();
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
