// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** The messages of a queue could not be looked at, or no longer. What was not moved until then is still in the queue. */
public final class BrowsingException extends SafeBunnyException {

    /** The connection is lost, or the broker does not let anybody look just now. Trying again may help. */
    public static final String UNAVAILABLE = "SB-5015";

    /** The queue may not be read, or is not there. Trying again does not help; permitting or declaring it does. */
    public static final String DENIED = "SB-5018";

    /**
     * With {@link #UNAVAILABLE}.
     *
     * @param queue that was looked at
     * @param why the reason, and what to do, as sentences; never credentials
     */
    public BrowsingException(String queue, String why, @Nullable Throwable cause) {
        this(UNAVAILABLE, "Queue cannot be looked at [queue=%s]: %s".formatted(queue, why), cause, true);
    }

    private BrowsingException(String code, String message, @Nullable Throwable cause, boolean traced) {
        super(code, message, cause, traced);
    }

    /**
     * With {@link #DENIED}.
     *
     * @param queue that was looked at
     * @param why the reason, and what to do, as sentences; never credentials
     */
    public static BrowsingException denied(String queue, String why, @Nullable Throwable cause) {
        return new BrowsingException(
                DENIED,
                "Queue may not be looked at, or is not there [queue=%s]: %s".formatted(queue, why),
                cause,
                true);
    }
}
