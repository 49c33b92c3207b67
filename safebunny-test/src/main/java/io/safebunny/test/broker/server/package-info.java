// SPDX-License-Identifier: Apache-2.0
/** An installed RabbitMQ server: its folders, ports, scripts and processes. */
@NullMarked
package io.safebunny.test.broker.server;

import org.jspecify.annotations.NullMarked;
