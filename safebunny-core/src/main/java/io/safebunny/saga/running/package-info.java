// SPDX-License-Identifier: Apache-2.0
/**
 * Whose turn it is at a saga; what a message does to its saga, by kind of message, and the undoing of its steps. Writes nothing itself: the changed saga joins the write
 * of the message's record.
 */
@NullMarked
package io.safebunny.saga.running;

import org.jspecify.annotations.NullMarked;
