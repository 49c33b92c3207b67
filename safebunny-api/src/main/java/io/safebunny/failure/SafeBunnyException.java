// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** Base class of all SafeBunny exceptions. Its code (for example {@code SB-2001}) is an anchor in {@code docs/errors.md}. */
public abstract class SafeBunnyException extends RuntimeException {

    private final String code;

    protected SafeBunnyException(String code, String message, @Nullable Throwable cause) {
        this(code, message, cause, true);
    }

    /**
     * @param traced whether to record a stack trace; {@code false} for failures that any sender can cause and whose location says
     *     nothing
     */
    protected SafeBunnyException(String code, String message, @Nullable Throwable cause, boolean traced) {
        super(code + " " + message, cause, true, traced);
        this.code = code;
    }

    /** The message without its code, to be quoted in another message. */
    public final String messageWithoutCode() {
        return String.valueOf(getMessage()).substring(code.length() + 1);
    }

    /** The stable code; the message begins with it. */
    public final String code() {
        return code;
    }
}
