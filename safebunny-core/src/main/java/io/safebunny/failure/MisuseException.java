// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** A method was called with an invalid argument, or at a time when it cannot work. It did nothing; correct the calling code. */
public final class MisuseException extends SafeBunnyException {

    /** An argument is out of range, or of the wrong kind. */
    public static final String ARGUMENT = "SB-5001";

    /** No handler of this node handles the type, or the node has not started. */
    public static final String TYPE = "SB-5002";

    /** The name of a step is invalid, or used twice. */
    public static final String STEP = "SB-5004";

    /** The object has not been started, or is closed. */
    public static final String NOT_RUNNING = "SB-5005";

    /** A part supplied by the application broke the contract of its interface. */
    public static final String BROKEN_RULE = "SB-5006";

    /** A transaction is already open on the thread on which a store should begin one. */
    public static final String OPEN_TRANSACTION = "SB-5007";

    /** A saga was asked for what it cannot do: a name that is unknown or used twice, a negative time, or it has ended. */
    public static final String SAGA = "SB-5012";

    /** The node keeps no scheduled messages, or the handle is not one of its own. */
    public static final String SCHEDULING = "SB-5013";

    /** Poison messages were asked for what cannot be: an operation without a reason, or with a negative rate; an edit that is refused. */
    public static final String POISON = "SB-5014";

    /**
     * Something else was or is done to poison messages: another operation runs on this instance, or another delivery or edit of the message was
     * faster. Look again before trying again.
     */
    public static final String BUSY = "SB-5016";

    /** There is no such copy in the poison queue: it was moved or edited, or somebody is looking at it. */
    public static final String COPY = "SB-5017";

    /** A saga refused a repair: it is in no state for it. Nothing but its history was changed. */
    public static final String REPAIR = "SB-5025";

    /** A middleware dropped the publication, so there is no message id. */
    public static final String DROPPED = "SB-5008";

    /**
     * @param code stable code
     * @param message what failed, which one, why, and what to do
     */
    public MisuseException(String code, String message) {
        this(code, message, null);
    }

    public MisuseException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
