// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** A queue could not be browsed, or browsing it broke off. Messages that had not been moved are still in the queue. */
public final class BrowsingException extends SafeBunnyException {

    /** The connection is lost, or the broker refuses browsing for now. Retrying may help. */
    public static final String UNAVAILABLE = "SB-5015";

    /** The queue does not exist, or this user may not read it. Retrying does not help: declare the queue or grant the permission. */
    public static final String DENIED = "SB-5018";

    /**
     * An exception with code {@link #UNAVAILABLE}.
     *
     * @param queue name of the queue
     * @param why the reason, and what to do, as sentences; never credentials
     */
    public BrowsingException(String queue, String why, @Nullable Throwable cause) {
        this(UNAVAILABLE, "Queue cannot be browsed [queue=%s]: %s".formatted(queue, why), cause, true);
    }

    private BrowsingException(String code, String message, @Nullable Throwable cause, boolean traced) {
        super(code, message, cause, traced);
    }

    /**
     * An exception with code {@link #DENIED}.
     *
     * @param queue name of the queue
     * @param why the reason, and what to do, as sentences; never credentials
     */
    public static BrowsingException denied(String queue, String why, @Nullable Throwable cause) {
        return new BrowsingException(
                DENIED,
                "Queue may not be browsed, or does not exist [queue=%s]: %s".formatted(queue, why),
                cause,
                true);
    }
}
