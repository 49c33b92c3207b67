// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Ids for messages without an ancestor: random UUIDs, from a generator that a simulation can seed. */
public final class RandomIds {

    private RandomIds() {}

    /** RFC 9562, version 4. */
    public static String next(RandomGenerator random) {
        byte[] bytes = new byte[16];
        // a single call, because each call of a SecureRandom takes its lock
        random.nextBytes(bytes);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long most = (buffer.getLong() & ~0xF000L) | 0x4000L;
        long least = (buffer.getLong() & ~(3L << 62)) | (1L << 63);
        return new UUID(most, least).toString();
    }
}
