// SPDX-License-Identifier: Apache-2.0
/** Names every input and output of the protocol from outside, by wrapping the two SPIs, and of the outbox, by its statements. */
@NullMarked
package io.safebunny.crash.point;

import org.jspecify.annotations.NullMarked;
