// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * {@code sb-lineage}, the default: a version 8 UUID (RFC 9562) from the first 122 bits of SHA-256 over the length-prefixed
 * fields {@code "sb1"}, correlation id, parent id, publishing node, type, ordinal or key. Thread-safe.
 */
public final class LineageIdScheme implements IdScheme {

    @Override
    public String idOf(Ancestry ancestry) {
        return uuid(FieldHash.sha256()
                .add("sb1")
                .add(ancestry.correlationId())
                .add(ancestry.parentId())
                .add(ancestry.node())
                .add(ancestry.type())
                .add(ancestry.ordinalOrKey())
                .finish());
    }

    @Override
    public String name() {
        return "sb-lineage";
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
}
