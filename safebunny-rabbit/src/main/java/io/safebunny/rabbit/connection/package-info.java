// SPDX-License-Identifier: Apache-2.0
/**
 * The RabbitMQ client with what it lacks: connections that are kept open, and cut when they are stuck; channels; messages in its form and in
 * ours. Nothing here knows exchanges, queues or confirms.
 */
@NullMarked
package io.safebunny.rabbit.connection;

import org.jspecify.annotations.NullMarked;
