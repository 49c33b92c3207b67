// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.PoisonMessageException;

/** Checks {@code @Valid} payloads, before each call of the handler. Implementations must be thread-safe. */
@FunctionalInterface
public interface PayloadValidator {

    /**
     * @param handler bean and method, for the exception text
     * @throws PoisonMessageException says what is wrong, without values of the payload. The message is poisoned, because a retry
     *     would fail in the same way
     */
    void validate(String handler, Object payload);
}
