// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** The messages of a queue could not be looked at, or no longer. What was not moved until then is still in the queue. */
public final class BrowsingException extends SafeBunnyException {

    /**
     * @param queue that was looked at
     * @param why the reason, and what to do, as sentences; never credentials
     */
    public BrowsingException(String queue, String why, @Nullable Throwable cause) {
        super("SB-5015", "Queue cannot be looked at [queue=%s]: %s".formatted(queue, why), cause);
    }
}
