// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * {@code sb-lineage}, the default: a version 8 UUID (RFC 9562) from the first 122 bits of SHA-256 over the length-prefixed
 * fields {@code "sb1"}, correlation id, parent id, publishing node, type, ordinal or key. Thread-safe.
 */
public final class LineageIdScheme implements IdScheme {

    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(LineageIdScheme::newDigest);

    @Override
    public String idOf(Ancestry ancestry) {
        MessageDigest digest = SHA256.get();
        digest.reset();
        field(digest, "sb1");
        field(digest, ancestry.correlationId());
        field(digest, ancestry.parentId());
        field(digest, ancestry.node());
        field(digest, ancestry.type());
        field(digest, ancestry.ordinalOrKey());
        return uuid(digest.digest());
    }

    @Override
    public String name() {
        return "sb-lineage";
    }

    private static void field(MessageDigest digest, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        int length = bytes.length;
        digest.update((byte) (length >>> 24));
        digest.update((byte) (length >>> 16));
        digest.update((byte) (length >>> 8));
        digest.update((byte) length);
        digest.update(bytes);
    }

    /** 48 bits, version, 12 bits, variant, 62 bits. */
    private static String uuid(byte[] hash) {
        ByteBuffer bits = ByteBuffer.wrap(hash);
        long first = bits.getLong();
        long second = bits.getLong();
        long high = (first & 0xFFFF_FFFF_FFFF_0000L) | 0x8000L | ((first >>> 4) & 0x0FFFL);
        long low = 0x8000_0000_0000_0000L | ((first & 0xFL) << 58) | (second >>> 6);
        return new UUID(high, low).toString();
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256 (java.security.MessageDigest)", e);
        }
    }
}
