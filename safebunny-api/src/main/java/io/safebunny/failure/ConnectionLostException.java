// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/**
 * The connection was lost before the confirm. Whether the broker has the message is unknown; publishing again with the same id is
 * harmless.
 */
public final class ConnectionLostException extends PublishException {

    public ConnectionLostException(Publication publication, String why, @Nullable Throwable cause) {
        super(
                "SB-2004",
                publication,
                "no connection to the broker (" + why
                        + "). It is being re-established; check spring.rabbitmq.* if this goes on.",
                cause);
    }
}
