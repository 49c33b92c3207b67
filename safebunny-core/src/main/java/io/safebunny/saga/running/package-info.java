// SPDX-License-Identifier: Apache-2.0
/**
 * What a message does to its saga, by kind of message, and the undoing of its steps. Writes nothing itself, but joins what it changes to
 * the record of the message being handled.
 */
@NullMarked
package io.safebunny.saga.running;

import org.jspecify.annotations.NullMarked;
