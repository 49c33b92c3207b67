// SPDX-License-Identifier: Apache-2.0
package io.safebunny.bodies;

import io.safebunny.failure.MisuseException;
import io.safebunny.identity.FieldHash;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the body of one message is, and how to recognise it. Its key consists of the message's id and the digest, so a message can name no
 * other body than its own. Immutable.
 *
 * @param store name of the body store
 * @param messageId id of the message
 * @param sha256 of the body, 64 hexadecimal digits in lower case
 * @param length of the body in bytes
 */
public record BodyReference(String store, String messageId, String sha256, long length) {

    private static final Pattern STORE = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    public BodyReference {
        if (!isStoreName(store)
                || !Names.isMessageId(messageId)
                || !SHA256.matcher(sha256).matches()
                || length < 0) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid reference to a body [store=%s, message=%s, length=%s]: give a name of a store, a message id, a SHA-256 in hexadecimal and a length that is not negative."
                            .formatted(Names.printable(store), Names.printable(messageId), length));
        }
    }

    /** Of a message that is about to be published, to its body. */
    public static BodyReference to(String store, Envelope message) {
        byte[] body = message.body();
        return new BodyReference(store, message.id(), sha256(body), body.length);
    }

    /** The digest of a body. */
    public static String sha256(byte[] body) {
        return HexFormat.of().formatHex(FieldHash.sha256().finish(body));
    }

    /** Whether a store may have this name: {@code [a-z][a-z0-9-]*}, at most 32 characters. */
    public static boolean isStoreName(String name) {
        return STORE.matcher(name).matches();
    }

    /** Whether a message says that its body is elsewhere. */
    public static boolean isIn(Map<String, Object> headers) {
        return headers.containsKey(Headers.CLAIM)
                || headers.containsKey(Headers.CLAIM_SHA256)
                || headers.containsKey(Headers.CLAIM_LENGTH);
    }

    /** How long the body of a message is that says so, to be shown; the bytes that it carries, if it does not. */
    public static int length(Map<String, Object> headers, byte[] carried) {
        Long claimed = integer(headers, Headers.CLAIM_LENGTH);
        return claimed == null || carried.length > 0
                ? carried.length
                : (int) Math.max(0, Math.min(Integer.MAX_VALUE, claimed));
    }

    /**
     * The reference in a message, which may be forged.
     *
     * @param message one that {@linkplain #isIn says} that its body is elsewhere
     * @throws InvalidMessageException {@link PoisonReason#INVALID_CLAIM} if it is malformed, or not to the message's own body
     */
    public static BodyReference of(Envelope message) {
        Map<String, Object> carried = message.carried();
        String claim = text(carried, Headers.CLAIM);
        String sha256 = text(carried, Headers.CLAIM_SHA256);
        Long length = integer(carried, Headers.CLAIM_LENGTH);
        if (claim == null || sha256 == null || length == null) {
            throw invalid("sb-claim and sb-claim-sha256 must be texts, and sb-claim-length an integer", carried);
        }
        if (length < 0) {
            throw invalid("sb-claim-length is negative", carried);
        }
        if (!SHA256.matcher(sha256).matches()) {
            throw invalid("sb-claim-sha256 must have 64 hexadecimal digits in lower case", carried);
        }
        int colon = claim.indexOf(':');
        if (colon < 0 || !isStoreName(claim.substring(0, colon))) {
            throw invalid("sb-claim must be the name of a store, a colon and a key", carried);
        }
        BodyReference own = new BodyReference(claim.substring(0, colon), message.id(), sha256, length);
        if (!own.key().equals(claim.substring(colon + 1))) {
            throw invalid("the key in sb-claim is not the message's id, a hyphen and sb-claim-sha256", carried);
        }
        if (message.body().length > 0) {
            throw invalid("the message has a body besides", carried);
        }
        return own;
    }

    private static InvalidMessageException invalid(String why, Map<String, Object> carried) {
        return new InvalidMessageException(
                PoisonReason.INVALID_CLAIM,
                "Invalid reference to a body [sb-claim=%s, sb-claim-length=%s]: %s. Nothing was read."
                        .formatted(
                                Names.printable(String.valueOf(carried.get(Headers.CLAIM))),
                                Names.printable(String.valueOf(carried.get(Headers.CLAIM_LENGTH))),
                                why));
    }

    private static @Nullable String text(Map<String, Object> headers, String name) {
        return headers.get(name) instanceof String text ? text : null;
    }

    private static @Nullable Long integer(Map<String, Object> headers, String name) {
        Object value = headers.get(name);
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte
                ? (Long) ((Number) value).longValue()
                : null;
    }

    /**
     * Under which the body is stored: the message's id, a hyphen and the digest. At most 193 characters of {@code [A-Za-z0-9._:-]}, which
     * end with 65 that are neither a dot nor a colon.
     */
    public String key() {
        return messageId + '-' + sha256;
    }

    /** The message as it is sent: with this reference, and without its body. */
    public Envelope in(Envelope message) {
        Map<String, Object> carried = new LinkedHashMap<>(message.carried());
        carried.put(Headers.CLAIM, store + ':' + key());
        carried.put(Headers.CLAIM_SHA256, sha256);
        carried.put(Headers.CLAIM_LENGTH, length);
        return message.withCarried(Collections.unmodifiableMap(carried)).withBody(new byte[0]);
    }

    /** The same headers, without a reference. */
    public static Map<String, Object> without(Map<String, Object> headers) {
        if (!isIn(headers)) {
            return headers;
        }
        Map<String, Object> others = new LinkedHashMap<>(headers);
        others.remove(Headers.CLAIM);
        others.remove(Headers.CLAIM_SHA256);
        others.remove(Headers.CLAIM_LENGTH);
        return others;
    }
}
