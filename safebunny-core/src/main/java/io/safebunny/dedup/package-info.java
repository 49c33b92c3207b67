// SPDX-License-Identifier: Apache-2.0
/** Exactly-once effects: claim, complete, dispatch over the store. Every transition is one conditional write. */
@NullMarked
package io.safebunny.dedup;

import org.jspecify.annotations.NullMarked;
