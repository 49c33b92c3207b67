// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** Root of all exceptions of this library. Its code (for example {@code SB-2001}) is an anchor in {@code docs/errors.md}. */
public abstract class SafeBunnyException extends RuntimeException {

    private final String code;

    protected SafeBunnyException(String code, String message, @Nullable Throwable cause) {
        this(code, message, cause, true);
    }

    /** @param traced whether it costs a stack trace: not what a sender can bring about at will, and whose place says nothing */
    protected SafeBunnyException(String code, String message, @Nullable Throwable cause, boolean traced) {
        super(code + " " + message, cause, true, traced);
        this.code = code;
    }

    /** The message without its code, to be part of another one. */
    public final String messageWithoutCode() {
        return String.valueOf(getMessage()).substring(code.length() + 1);
    }

    /** The stable code, which also begins the message. */
    public final String code() {
        return code;
    }
}
