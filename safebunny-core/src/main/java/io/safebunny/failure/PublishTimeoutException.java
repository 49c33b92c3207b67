// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.time.Duration;

/** No confirm came in time. Whether the broker has the message is unknown; publishing again with the same id is harmless. */
public final class PublishTimeoutException extends PublishException {

    public PublishTimeoutException(Publication publication, Duration timeout, String waitingFor) {
        super(
                "SB-2003",
                publication,
                "gave up after " + timeout.toMillis() + " ms waiting for " + waitingFor
                        + ". Look for a blocked or overloaded broker, or raise safebunny.publisher.timeout.",
                null);
    }
}
