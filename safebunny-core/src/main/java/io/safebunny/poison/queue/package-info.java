// SPDX-License-Identifier: Apache-2.0
/**
 * Puts messages into the poison queue: the content of a copy, its confirm before the original is settled, and the fate of a message whose
 * copy the broker refuses.
 */
@NullMarked
package io.safebunny.poison.queue;

import org.jspecify.annotations.NullMarked;
