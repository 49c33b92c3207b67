// SPDX-License-Identifier: Apache-2.0
/**
 * Adds to the RabbitMQ client: connections that are kept open and are cut when stuck, safe handling of channels, conversion of messages.
 * Knows nothing of exchanges, queues or confirms.
 */
@NullMarked
package io.safebunny.rabbit.connection;

import org.jspecify.annotations.NullMarked;
