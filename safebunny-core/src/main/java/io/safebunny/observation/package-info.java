// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics, traces, events and rate-limited logs of what happens to messages. Nothing here, not even a failure, may affect a
 * message.
 */
@NullMarked
package io.safebunny.observation;

import org.jspecify.annotations.NullMarked;
