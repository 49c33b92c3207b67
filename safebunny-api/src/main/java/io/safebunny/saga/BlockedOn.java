// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

/**
 * A saga's message that was set aside and waits in a poison queue.
 *
 * @param messageId its id
 * @param type its type name
 * @param node the node that set it aside
 * @param reason why, as in header {@code sb-poison-reason}
 */
public record BlockedOn(String messageId, String type, String node, String reason) {}
