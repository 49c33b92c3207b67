// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import java.time.Duration;

/**
 * @param node the publishing node
 * @param timeout how long a publication may take, retries after a lost connection included
 * @param maxMessageSize largest body in bytes
 */
public record PublishingOptions(String node, Duration timeout, long maxMessageSize) {}
