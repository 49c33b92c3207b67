// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What an encrypted body is bound to: the identity of its message, as additional authenticated data. Pure. */
final class Identity {

    private static final int ABSENT = 0;
    private static final int THERE = 1;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);

    private Identity() {}

    /**
     * Every field with its length, so that no two messages have the same bytes; what copies of a message change (attempt, trace, priority,
     * deadline, poison headers) is not among them.
     */
    static byte[] of(Envelope message) {
        return of(message, null);
    }

    /** @param subjectKey id of the key of its person, the last field; {@code null} if it has none */
    static byte[] of(Envelope message, @Nullable String subjectKey) {
        Identity identity = new Identity();
        identity.add(subjectKey == null ? "SB1" : "SB2");
        identity.add(message.id());
        identity.add(message.correlationId());
        identity.add(message.causationId());
        identity.add(message.type());
        identity.add(message.node());
        identity.add(message.contentType());
        identity.add(String.join(", ", message.encodings()));
        identity.add(Integer.toString(message.marker()));
        identity.add(Long.toString(message.madeAt()));
        identity.add(message.undoes());
        identity.add(message.orderKey());
        identity.add(Integer.toString(Headers.version(message.carried())));
        if (subjectKey != null) {
            identity.add(subjectKey);
        }
        return identity.bytes.toByteArray();
    }

    private void add(@Nullable String field) {
        if (field == null) {
            bytes.write(ABSENT);
            return;
        }
        byte[] text = field.getBytes(StandardCharsets.UTF_8);
        bytes.write(THERE);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes.write(text.length >>> shift);
        }
        bytes.writeBytes(text);
    }
}
