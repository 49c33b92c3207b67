// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.PoisonMessageException;

/** Checks the payloads of handlers that ask for it with {@code @Valid}, each time before the handler is called. Thread-safe. */
@FunctionalInterface
public interface PayloadValidator {

    /**
     * @param handler bean and method, for the message
     * @throws PoisonMessageException what is wrong, without values of the payload; another try would find the same
     */
    void validate(String handler, Object payload);
}
