// SPDX-License-Identifier: Apache-2.0
/**
 * A network that fails on demand: a proxy between a client and a server, and faults that occur at an exact frame of AMQP 0-9-1. Apart from
 * the frames, it knows nothing of brokers.
 */
@NullMarked
package io.safebunny.test.proxy;

import org.jspecify.annotations.NullMarked;
