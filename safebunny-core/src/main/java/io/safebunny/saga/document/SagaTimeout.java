// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import java.time.Instant;

/**
 * A timeout of a saga. The message that wakes the saga is only its alarm clock.
 *
 * @param token id of the message that wakes the saga; any other is stale
 * @param due when it is over
 * @param wakesAt when that message comes, which may be earlier; then another one is sent for the rest
 */
public record SagaTimeout(String token, Instant due, Instant wakesAt) {}
