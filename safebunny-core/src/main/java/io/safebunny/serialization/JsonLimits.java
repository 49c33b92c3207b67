// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.exc.StreamConstraintsException;

/**
 * What a JSON document may ask of its reader. Where the mapper's own limits are stricter, they stay.
 *
 * @param maxMessageSize largest document in bytes. There is a token for four bytes at most, because what a token costs as a tree or
 *     a map (up to 80 bytes) would make 50 times its size of a document that is all brackets
 */
record JsonLimits(long maxMessageSize) {

    /** Of arrays and objects: bounds the reader's stack. */
    private static final int DEPTH = 500;
    /** A factory keeps up to 6,000 names for good. */
    private static final int NAME = 1_000;
    /** Converting digits takes quadratic time. */
    private static final int DIGITS = 1_000;

    private static final int BYTES_PER_TOKEN = 4;
    /** So that no small limit is one on the shape of messages. */
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

    /** Jackson's own text has numbers only, nothing of the document. */
    static String reason(StreamConstraintsException e) {
        String text = e.getOriginalMessage().replaceAll(", from `[^`]*`", "");
        boolean sized = text.startsWith("Token") || text.startsWith("Document length") || text.startsWith("String");
        return sized ? text + "; safebunny.max-message-size sets it" : text;
    }

    /** @param own not positive: no limit */
    private static long atMost(long own, long limit) {
        return own > 0 ? Math.min(own, limit) : limit;
    }
}
