// SPDX-License-Identifier: Apache-2.0
/** Exactly-once effects: claim, complete and dispatch over the store. Each change of a record is one conditional write. */
@NullMarked
package io.safebunny.dedup;

import org.jspecify.annotations.NullMarked;
