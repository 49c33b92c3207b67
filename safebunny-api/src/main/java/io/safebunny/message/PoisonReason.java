// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.Locale;

/** Why a message is in the poison queue; the value of header {@code sb-poison-reason}. */
public enum PoisonReason {
    /** The handler failed and the policy allows no retry for this failure. */
    HANDLER_FAILED,
    /** The handler failed on every attempt the policy allows. */
    RETRIES_EXHAUSTED,
    /** Its record says that it was set aside earlier; another copy has the original reason. */
    SET_ASIDE_BEFORE,
    /** The body cannot be read as the handler's payload. */
    MALFORMED_BODY,
    /** The body cannot be decrypted: its key stayed unknown, or it was changed, or moved from another message. */
    UNDECRYPTABLE,
    /** The body arrived in clear, although messages of its class are encrypted. */
    NOT_ENCRYPTED,
    /** The body is kept in a store, and was not there through all delayed retries. */
    CLAIM_MISSING,
    /** The reference to the body is malformed or not the message's own, its store is unknown here, or what is there is another body. */
    INVALID_CLAIM,
    /** A property or header that every message needs is missing or has a wrong form. */
    MISSING_PROPERTY,
    /** No handler of this node handles this type. */
    UNKNOWN_TYPE,
    /** This node handles the type, but not from this queue. */
    WRONG_QUEUE,
    /** The body is larger than {@code safebunny.max-message-size}. */
    TOO_LARGE,
    /** The message is older than {@code safebunny.dedup.retention}, so nobody knows any more whether it was handled. */
    TOO_OLD,
    /** Too many deliveries or claims ended without a result, usually because the message kills the process that handles it. */
    DELIVERY_LIMIT,
    /** The store refuses the record of this message for good. */
    NOT_STORABLE,
    /** Its saga does not exist, not even after all delayed retries. */
    UNKNOWN_SAGA,
    /** Its saga is stuck: an earlier message to it was set aside, and handling later messages without it would corrupt the state. */
    SAGA_STUCK,
    /** Its deadline passed before it was handled, or it exceeded a time to live set by a broker policy or its sender. */
    EXPIRED,
    /**
     * Its person was erased, so nobody can read its body any more. Such a message is in no poison queue: it ends as shredded, and this is what
     * sagas and listeners are told.
     */
    SHREDDED;

    private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    public String wireName() {
        return wireName;
    }
}
