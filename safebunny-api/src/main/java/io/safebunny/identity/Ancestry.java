// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

/**
 * The values from which a message id is computed.
 *
 * @param parentId id of the message whose handler publishes the new one; empty if it starts the saga
 * @param ordinalOrKey 1, 2, … per type within one handling of the parent, or the caller's idempotency key
 * @param marker position in the saga, from 1
 */
public record Ancestry(
        String correlationId, String parentId, String node, String type, String ordinalOrKey, int marker) {}
