// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.PoisonMessageException;

/** Checks {@code @Valid} payloads, before each call of the handler. Implementations must be thread-safe. */
@FunctionalInterface
public interface PayloadValidator {

    /**
     * @param handler bean and method, for the exception text
     * @throws PoisonMessageException says what is wrong, without values of the payload; poison, because a retry would find the
     *     same
     */
    void validate(String handler, Object payload);
}
