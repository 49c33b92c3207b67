// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.exc.StreamConstraintsException;

/**
 * Limits the resources that reading a JSON document may take. Stricter limits of the mapper are kept.
 *
 * @param maxMessageSize largest document in bytes. Tokens are limited to one per four bytes: a token takes up to 80 bytes in a
 *     tree or map, so a document of nothing but brackets would otherwise grow to 50 times its size
 */
record JsonLimits(long maxMessageSize) {

    /** Nesting depth of arrays and objects; bounds the reader's stack. */
    private static final int DEPTH = 500;
    /** Bytes of a property name. Jackson caches up to 6,000 names permanently. */
    private static final int NAME = 1_000;
    /** Digits of a number, because converting them takes quadratic time. */
    private static final int DIGITS = 1_000;

    private static final int BYTES_PER_TOKEN = 4;
    /** Number of tokens that is always allowed, so that a small maximum size does not restrict the structure of messages. */
    private static final int FEWEST_TOKENS = 10_000;

    StreamReadConstraints reading(StreamReadConstraints own) {
        StreamReadConstraints defaults = StreamReadConstraints.defaults();
        int longest = (int) Math.min(maxMessageSize, Integer.MAX_VALUE);
        return StreamReadConstraints.builder()
                .maxNestingDepth(Math.min(own.getMaxNestingDepth(), DEPTH))
                .maxNameLength(Math.min(own.getMaxNameLength(), NAME))
                .maxNumberLength(Math.min(own.getMaxNumberLength(), DIGITS))
                .maxStringLength(
                        own.getMaxStringLength() == defaults.getMaxStringLength()
                                ? longest
                                : Math.min(own.getMaxStringLength(), longest))
                .maxDocumentLength(atMost(own.getMaxDocumentLength(), maxMessageSize))
                .maxTokenCount(
                        atMost(own.getMaxTokenCount(), Math.max(FEWEST_TOKENS, maxMessageSize / BYTES_PER_TOKEN)))
                .build();
    }

    StreamWriteConstraints writing(StreamWriteConstraints own) {
        return StreamWriteConstraints.builder()
                .maxNestingDepth(Math.min(own.getMaxNestingDepth(), DEPTH))
                .build();
    }

    /** The reason, which is safe to show: Jackson's text for these exceptions contains only numbers, no content. */
    static String reason(StreamConstraintsException e) {
        String text = e.getOriginalMessage().replaceAll(", from `[^`]*`", "");
        boolean sized = text.startsWith("Token") || text.startsWith("Document length") || text.startsWith("String");
        return sized ? text + "; safebunny.max-message-size sets it" : text;
    }

    /** @param own the mapper's own limit; none if not positive */
    private static long atMost(long own, long limit) {
        return own > 0 ? Math.min(own, limit) : limit;
    }
}
