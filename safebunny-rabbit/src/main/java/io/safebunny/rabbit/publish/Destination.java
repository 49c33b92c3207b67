// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import java.util.Map;

/**
 * Where the client publishes to.
 *
 * @param mandatory whether the broker is asked to return what it cannot route
 * @param extraHeaders steer the message through the delay
 */
public record Destination(String exchange, String routingKey, boolean mandatory, Map<String, Object> extraHeaders) {}
