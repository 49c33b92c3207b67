// SPDX-License-Identifier: Apache-2.0
/**
 * Puts messages into the poison queue: what a copy carries, how it is confirmed before the original is settled, and what becomes of a
 * message whose copy the broker refuses.
 */
@NullMarked
package io.safebunny.poison.queue;

import org.jspecify.annotations.NullMarked;
