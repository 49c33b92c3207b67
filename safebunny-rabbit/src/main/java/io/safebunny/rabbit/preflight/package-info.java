// SPDX-License-Identifier: Apache-2.0
/**
 * Compares what is on the broker with what a node needs: over AMQP for the topology command, over the management API for what loses or
 * delays messages.
 */
@NullMarked
package io.safebunny.rabbit.preflight;

import org.jspecify.annotations.NullMarked;
