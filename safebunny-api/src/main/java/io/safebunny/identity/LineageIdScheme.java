// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import io.safebunny.failure.MisuseException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * {@code sb-lineage}, the default: a version 8 UUID (RFC 9562) from the first 122 bits of SHA-256 over the length-prefixed fields
 * {@code "sb1"}, correlation id, parent id, publishing node, type, ordinal or key. With a secret the hash is HMAC-SHA-256, so
 * nobody can compute the ids of the following messages from a message they see. Thread-safe.
 */
public final class LineageIdScheme implements IdScheme {

    /** In bytes; as long as the hash. */
    public static final int SHORTEST_SECRET = 32;

    private final Supplier<FieldHash> hash;

    public LineageIdScheme() {
        this(FieldHash::sha256);
    }

    private LineageIdScheme(Supplier<FieldHash> hash) {
        this.hash = hash;
    }

    /**
     * @param secret at least {@value #SHORTEST_SECRET} bytes, the same in all instances of a node
     * @throws MisuseException SB-5001 when the secret is shorter
     */
    public static LineageIdScheme withSecret(byte[] secret) {
        if (secret.length < SHORTEST_SECRET) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "The secret of message ids is too short [bytes=%s]: it must have at least %s."
                            .formatted(secret.length, SHORTEST_SECRET));
        }
        return new LineageIdScheme(FieldHash.hmacSha256(secret));
    }

    /**
     * The correlation id of a message that is published outside handlers with an idempotency key, and without a correlation id.
     *
     * @param scheme of the publishing node. Any other than this one has no say in it
     */
    public static String correlationIdOf(IdScheme scheme, String node, String type, String key) {
        LineageIdScheme lineage = scheme instanceof LineageIdScheme own ? own : new LineageIdScheme();
        return lineage.idOf(new Ancestry("", "", node, type, key, 1));
    }

    @Override
    public String idOf(Ancestry ancestry) {
        return uuid(hash.get()
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
