// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.handler.TrustedUsers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * @param node the consuming node
 * @param maxMessageSize largest body in bytes
 * @param deliveryLimit failed deliveries after which the broker sets a message aside
 * @param brokerSetsAside whether the broker moves what is rejected to the poison queue without ever losing it
 * @param retention how long handled messages are remembered; {@code null} when they are not
 * @param trustedUsers as whom the senders publish
 */
public record ConsumeOptions(
        String node,
        long maxMessageSize,
        int deliveryLimit,
        boolean brokerSetsAside,
        @Nullable Duration retention,
        TrustedUsers trustedUsers) {}
