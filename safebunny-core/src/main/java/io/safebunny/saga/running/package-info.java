// SPDX-License-Identifier: Apache-2.0
/**
 * How each kind of message changes its saga, and how the saga's steps are undone. Writes nothing itself: the changed saga joins the write
 * of the message's record.
 */
@NullMarked
package io.safebunny.saga.running;

import org.jspecify.annotations.NullMarked;
