// SPDX-License-Identifier: Apache-2.0
/**
 * Decides, once per failure and without I/O, what a failure means for the message, its record and the breaker of its type. Also decides how
 * to treat a message that may be crashing its process.
 */
@NullMarked
package io.safebunny.failure.policy;

import org.jspecify.annotations.NullMarked;
