// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells copies of one message from other messages, whoever made them: of a message with a usable id by id, saga, type and bytes; of
 * one without by all of its properties, the application's headers and its bytes. Nothing that changes from one delivery to the next
 * (attempts, the broker's own headers) is part of it. Pure.
 */
final class PoisonDigest {

    private final MessageDigest digest = sha256();

    private PoisonDigest() {}

    /** 64 hexadecimal digits. */
    static String of(WireMessage message) {
        PoisonDigest digest = new PoisonDigest();
        String id = message.messageId();
        digest.add(id);
        digest.add(message.correlationId());
        digest.add(message.type());
        if (id == null || !Names.isMessageId(id)) {
            digest.add(message.appId());
            digest.add(message.timestamp());
            digest.add(message.contentType());
            digest.add(message.contentEncoding());
            new TreeMap<>(Headers.application(message.headers())).forEach((name, value) -> {
                digest.add(name);
                digest.add(value);
            });
        }
        digest.digest.update(message.body());
        return HexFormat.of().formatHex(digest.digest.digest());
    }

    /** With its length, so that two texts are never taken for two others. */
    private void add(@Nullable Object value) {
        byte[] text = value == null ? new byte[0] : value.toString().getBytes(StandardCharsets.UTF_8);
        digest.update(
                ByteBuffer.allocate(4).putInt(value == null ? -1 : text.length).flip());
        digest.update(text);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
