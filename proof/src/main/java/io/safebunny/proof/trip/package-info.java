// SPDX-License-Identifier: Apache-2.0
/** A saga with state and its participant on one node, whose process is halted. */
@NullMarked
package io.safebunny.proof.trip;

import org.jspecify.annotations.NullMarked;
