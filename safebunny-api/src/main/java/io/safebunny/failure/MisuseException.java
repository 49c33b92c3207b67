// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** A method was called with an invalid argument, or at a time when it cannot work. It has done nothing; correct the calling code. */
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

    /** A saga was asked for something impossible: a name is unknown or used twice, a time is negative, or the saga has ended. */
    public static final String SAGA = "SB-5012";

    /** The node keeps no scheduled messages, or none of this id, or the handle is not one of its own. */
    public static final String SCHEDULING = "SB-5013";

    /** An operation on poison messages is invalid: it has no reason or a negative rate, or it is an edit that is refused. */
    public static final String POISON = "SB-5014";

    /**
     * Another operation on poison messages runs on this instance, or another delivery or edit of the message was faster. Look
     * again before retrying.
     */
    public static final String BUSY = "SB-5016";

    /** The poison queue does not have the copy: it was moved or edited, or somebody is browsing it. */
    public static final String COPY = "SB-5017";

    /** A saga refused a repair that does not fit its status. Only its history was changed. */
    public static final String REPAIR = "SB-5025";

    /** No test can be made of the incident: nothing has failed, or what has failed cannot be repeated. */
    public static final String INCIDENT = "SB-5027";

    /** A scheduled message was published, cancelled or moved before, so it was not cancelled or moved. */
    public static final String TOO_LATE = "SB-5028";

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
