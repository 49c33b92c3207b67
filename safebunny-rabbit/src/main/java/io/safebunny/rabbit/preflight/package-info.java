// SPDX-License-Identifier: Apache-2.0
/**
 * Compares a broker with the needs of a node: over AMQP for the topology command, and over the management API to find settings that lose or
 * delay messages.
 */
@NullMarked
package io.safebunny.rabbit.preflight;

import org.jspecify.annotations.NullMarked;
