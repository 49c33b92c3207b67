// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.message.WireMessage;

/** A message from the broker, unchecked, with where it came from. */
public record IncomingMessage(
        String queue, String exchange, String routingKey, boolean redelivered, WireMessage message) {}
