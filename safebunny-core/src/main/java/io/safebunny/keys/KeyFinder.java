// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

import io.safebunny.bodies.BodyReference;
import io.safebunny.message.Encodings;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds which keys encrypted bodies need, in messages and in stored texts, wherever in these they are: they name their key at their beginning.
 * Needs no key. Pure.
 */
final class KeyFinder {

    /** What begins a stored text that is encrypted. */
    private static final String SEALED = "sealed:";

    /** Base64 of the shortest encrypted body has more characters. */
    private static final int SHORTEST = 100;

    /** Bytes that tell the key. */
    private static final int BEGINNING = 258;

    private static final int BEGINNING_IN_BASE64 = BEGINNING / 3 * 4;

    private final Codecs codecs;

    KeyFinder(Codecs codecs) {
        this.codecs = codecs;
    }

    /** What was found in one thing that is stored. */
    static final class Found {
        final Set<String> keys = new HashSet<>();
        /** Bodies that are in the store of large bodies; of those in texts, encrypted or not. */
        int elsewhere;
        /** Encrypted, but nobody says with which key. */
        int unclear;
    }

    static Place placeOf(MessageRecord record) {
        String id = record.key().messageId();
        if (record.key().isApart()) {
            return Place.STEPS;
        }
        if (!record.key().isCompanion()) {
            return record.state() == RecordState.PARKED ? Place.ORDER : Place.RECORDS;
        }
        return id.startsWith("~saga.") ? Place.SAGAS : id.startsWith("~scheduled") ? Place.SCHEDULED : Place.OTHERS;
    }

    Found in(MessageRecord record) {
        Found found = new Found();
        record.outgoing().forEach(message -> add(message.message(), found));
        record.steps().values().forEach(text -> add(text, found));
        return found;
    }

    Found in(WireMessage message) {
        Found found = new Found();
        add(message, found);
        return found;
    }

    private void add(WireMessage message, Found found) {
        List<String> encodings = Encodings.of(message.contentEncoding());
        boolean isHidden = codecs.isHidden(encodings) || !encodings.stream().allMatch(codecs::isKnown);
        if (isHidden && BodyReference.isIn(message.headers())) {
            found.elsewhere++;
        } else if (isHidden) {
            byte[] body = message.body();
            addKey(codecs.keyIdOf(body.length <= BEGINNING ? body : Arrays.copyOf(body, BEGINNING)), found);
        }
    }

    private static void addKey(@Nullable String keyId, Found found) {
        if (keyId == null) {
            found.unclear++;
        } else {
            found.keys.add(keyId);
        }
    }

    /** Looks at each long run of Base64: what a text is made of matters not, nor how deep in it a body is. */
    private void add(String text, Found found) {
        if (text.contains(Headers.CLAIM)) { // of a message that a saga or the schedule keeps
            found.elsewhere++;
        }
        int at = 0;
        while (at < text.length()) {
            int end = at;
            while (end < text.length() && isBase64(text.charAt(end))) {
                end++;
            }
            boolean isSealed = text.startsWith(SEALED, at - SEALED.length());
            if (end - at >= SHORTEST || (isSealed && end > at)) {
                String keyId = keyIdOf(text.substring(at, Math.min(end, at + BEGINNING_IN_BASE64)));
                if (keyId != null || isSealed) {
                    addKey(keyId, found);
                }
            }
            at = end + 1;
        }
    }

    private @Nullable String keyIdOf(String base64) {
        try {
            return codecs.keyIdOf(Base64.getDecoder().decode(base64.substring(0, base64.length() / 4 * 4)));
        } catch (IllegalArgumentException e) { // something else
            return null;
        }
    }

    private static boolean isBase64(char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    }
}
