// SPDX-License-Identifier: Apache-2.0
/** Names every input and output from outside: of the protocol by wrapping the two SPIs, of the outbox by its statements. */
@NullMarked
package io.safebunny.proof.point;

import org.jspecify.annotations.NullMarked;
