// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.time.Duration;

/** No confirm arrived in time. Whether the broker has the message is unknown; publishing again with the same id is harmless. */
public final class PublishTimeoutException extends PublishException {

    private final boolean interrupted;

    public PublishTimeoutException(Publication publication, Duration timeout, String waitingFor) {
        super(
                "SB-2003",
                publication,
                "gave up after " + timeout.toMillis() + " ms waiting for " + waitingFor
                        + ". Check whether the broker is blocked or overloaded, or raise safebunny.publisher.timeout.",
                null);
        this.interrupted = false;
    }

    private PublishTimeoutException(Publication publication, String waitingFor) {
        super("SB-2003", publication, "interrupted while waiting for " + waitingFor + ".", null);
        this.interrupted = true;
    }

    /** The publishing thread was interrupted, so the broker is not to blame. */
    public static PublishTimeoutException interrupted(Publication publication, String waitingFor) {
        return new PublishTimeoutException(publication, waitingFor);
    }

    public boolean isInterrupted() {
        return interrupted;
    }
}
