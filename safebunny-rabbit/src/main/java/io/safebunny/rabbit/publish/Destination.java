// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import java.util.Map;

/**
 * Where a message is published to.
 *
 * @param mandatory whether the broker returns the message when no queue is bound
 * @param extraHeaders headers that steer the message through its delay
 */
public record Destination(String exchange, String routingKey, boolean mandatory, Map<String, Object> extraHeaders) {}
