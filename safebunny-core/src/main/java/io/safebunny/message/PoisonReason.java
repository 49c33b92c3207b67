// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.Locale;

/** Why a message is in the poison queue, as header {@code sb-poison-reason}. */
public enum PoisonReason {
    /** The handler failed and the policy allows no retry for this failure. */
    HANDLER_FAILED,
    /** The handler failed on every attempt the policy allows. */
    RETRIES_EXHAUSTED,
    /** The body cannot be read as the handler's payload. */
    MALFORMED_BODY,
    /** A property or header that every message needs is missing or has a wrong form. */
    MISSING_PROPERTY,
    /** No handler of this node takes this type. */
    UNKNOWN_TYPE,
    /** This node handles the type, but not from this queue. */
    WRONG_QUEUE,
    /** The body is larger than {@code safebunny.max-message-size}. */
    TOO_LARGE,
    /** The message is older than {@code safebunny.dedup.retention}: whether it was handled can no longer be known. */
    TOO_OLD,
    /** The broker set it aside: too many deliveries failed, usually because the message ends the process that handles it. */
    DELIVERY_LIMIT,
    /** The store refuses the record of this message for good. */
    NOT_STORABLE,
    /** It outlived a time-to-live that a policy or its sender gave it. */
    EXPIRED;

    private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    public String wireName() {
        return wireName;
    }
}
