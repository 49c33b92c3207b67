// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.SafeBunnyException;

/**
 * An edit was started and failed. Code and message are those of the cause. If the cause has no code, the code is SB-5019 and the log has
 * the details. The original copy is still there, perhaps with an edited one beside it.
 */
public final class EditFailedException extends SafeBunnyException {

    /** The cause is not one of SafeBunny's own exceptions. */
    public static final String FAULT = "SB-5019";

    private final transient PoisonOperation operation;

    /** @param operation the failed operation */
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
                : "An edit failed unexpectedly [operation=%s, exception=%s]; the log has more. The original copy is still there, perhaps with an edited one beside it. Check the copies of the message before you edit again."
                        .formatted(operation.id(), cause.getClass().getName());
    }

    /** The failed operation; not kept if the exception is serialized. */
    public PoisonOperation operation() {
        return operation;
    }
}
