// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/** How much of an exception is shown, in logs and in poison messages. */
public enum ExceptionDetails {
    /** Class, text and place, including its causes'. */
    FULL,
    /** Class, code and place, including its causes'. Texts may quote messages, and a driver's text its parameters. */
    TYPE_ONLY;

    /** @return what may be shown of the failure; its methods never throw, whatever the failure's own do */
    public Throwable of(Throwable failure) {
        return this == FULL ? Printable.of(failure) : StandIn.textless(failure);
    }

    /** @return the same for the log, in which nothing of a sender's begins a line: the only way of a failure into it */
    public Throwable logged(Throwable failure) {
        return this == FULL ? Printable.inLines(failure) : StandIn.textless(failure);
    }
}
