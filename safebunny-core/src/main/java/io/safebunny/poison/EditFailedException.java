// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.SafeBunnyException;

/**
 * An edit was begun and failed. Its code and its message are those of the cause, and SB-5019 when that has none: then the log has more. The
 * copy as it was is still there, perhaps with an edited one beside it.
 */
public final class EditFailedException extends SafeBunnyException {

    /** The cause is none of SafeBunny's own failures. */
    public static final String FAULT = "SB-5019";

    private final transient PoisonOperation operation;

    /** @param operation has failed already */
    public EditFailedException(PoisonOperation operation, RuntimeException cause) {
        super(code(cause), message(operation, cause), cause);
        this.operation = operation;
    }

    private static String code(RuntimeException cause) {
        return cause instanceof SafeBunnyException known ? known.code() : FAULT;
    }

    private static String message(PoisonOperation operation, RuntimeException cause) {
        return cause instanceof SafeBunnyException known
                ? known.messageWithoutCode()
                : "An edit failed [operation=%s, exception=%s]: this should not happen, and the log says more. The copy as it was is still there, perhaps with an edited one beside it: look at the copies of the message before you edit again."
                        .formatted(operation.id(), cause.getClass().getName());
    }

    /** What failed; not kept when the exception is serialized. */
    public PoisonOperation operation() {
        return operation;
    }
}
