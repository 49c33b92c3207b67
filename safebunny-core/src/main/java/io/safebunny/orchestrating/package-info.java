// SPDX-License-Identifier: Apache-2.0
/**
 * Sagas with state: what is stored of one, what a message does to it, its timeouts, its compensation. Writes nothing itself, but joins
 * what it changes to the record of the message being handled.
 */
@NullMarked
package io.safebunny.orchestrating;

import org.jspecify.annotations.NullMarked;
