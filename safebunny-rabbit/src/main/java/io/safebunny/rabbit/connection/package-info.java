// SPDX-License-Identifier: Apache-2.0
/**
 * What the RabbitMQ client lacks: connections that are kept open and cut when stuck, safe handling of channels, conversion of messages.
 * Knows nothing of exchanges, queues or confirms.
 */
@NullMarked
package io.safebunny.rabbit.connection;

import org.jspecify.annotations.NullMarked;
