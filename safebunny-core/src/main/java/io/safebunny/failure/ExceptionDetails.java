// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/** How much of an exception is told, in logs and in poison messages. */
public enum ExceptionDetails {
    /** Class, text and place, of its causes too. */
    FULL,
    /** Class, code and place, of its causes too. Texts may quote messages, and those of drivers their parameters. */
    TYPE_ONLY;

    /** @return what may be told of it; whatever the exception's own methods throw, those of this one do not */
    public Throwable of(Throwable failure) {
        return this == FULL ? Printable.of(failure) : Textless.of(failure);
    }
}
