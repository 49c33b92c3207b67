// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.details;

import org.jspecify.annotations.Nullable;

/** How much of an exception logs, poison messages and records show. */
public enum ExceptionDetails {
    /** Class, text and location, also of its causes. */
    FULL,
    /** Class, code and location, also of its causes: texts may quote messages, and a driver's text its parameters. */
    TYPE_ONLY;

    /** @return the part of the failure that may be shown; its methods never throw, even if the failure's own do */
    public Throwable of(Throwable failure) {
        return this == FULL ? Printable.of(failure) : StandIn.textless(failure);
    }

    /** @return the failure's own text, without its causes; {@code null} if it has none or it must not be shown */
    public @Nullable String text(Throwable failure) {
        return this == FULL ? Printable.of(failure).getMessage() : null;
    }

    /**
     * @return the same for the log, without line breaks that foreign text could use to forge a log line; every failure is logged
     *     through this
     */
    public Throwable logged(Throwable failure) {
        return this == FULL ? Printable.inLines(failure) : StandIn.textless(failure);
    }
}
