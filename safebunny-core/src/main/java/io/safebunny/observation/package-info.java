// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics, traces, events and bounded logs of what happens to messages. Nothing here decides anything about a message, nor may a
 * failure here.
 */
@NullMarked
package io.safebunny.observation;

import org.jspecify.annotations.NullMarked;
