// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.bodies.BodyReference;
import io.safebunny.identity.FieldHash;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import java.util.HexFormat;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Computes a digest that is the same for all copies of one message, whoever made them, and differs for other messages. It covers id, saga,
 * type and bytes; for a message without a usable id, all properties, the application's headers and the bytes. Nothing that changes from one
 * delivery to the next (attempts, the broker's own headers) is part of it. Pure.
 */
public final class PoisonDigest {

    private PoisonDigest() {}

    /** The digest, as 64 hexadecimal digits. */
    public static String of(WireMessage message) {
        String id = message.messageId();
        FieldHash hash = FieldHash.sha256().add(id).add(message.correlationId()).add(message.type());
        if (id == null || !Names.isMessageId(id)) {
            hash.add(message.appId())
                    .add(text(message.timestamp()))
                    .add(message.contentType())
                    .add(message.contentEncoding());
            new TreeMap<>(Headers.application(message.headers()))
                    .forEach((name, value) -> hash.add(name).add(text(value)));
        }
        if (BodyReference.isIn(message.headers())) { // its bytes are elsewhere
            hash.add(text(message.headers().get(Headers.CLAIM_SHA256)));
        }
        return HexFormat.of().formatHex(hash.finish(message.body()));
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}
