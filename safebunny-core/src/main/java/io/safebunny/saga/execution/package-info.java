// SPDX-License-Identifier: Apache-2.0
/**
 * Whose turn it is at a saga, how each kind of message changes it, and how its steps are undone. Writes nothing itself: the changed saga
 * joins the write of the message's record.
 */
@NullMarked
package io.safebunny.saga.execution;

import org.jspecify.annotations.NullMarked;
