// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.message.Envelope;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** Tells another message under the same id from a repeat of the first: two checksums of type and body. Against mistakes only. */
final class Fingerprint {

    private Fingerprint() {}

    static long of(Envelope message) {
        byte[] type = message.type().getBytes(StandardCharsets.UTF_8);
        return checksum(new CRC32C(), type, message.body()) << 32 | checksum(new CRC32(), type, message.body());
    }

    private static long checksum(Checksum checksum, byte[] type, byte[] body) {
        checksum.update(type, 0, type.length);
        checksum.update(body, 0, body.length);
        return checksum.getValue();
    }
}
