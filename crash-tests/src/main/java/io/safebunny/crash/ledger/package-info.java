// SPDX-License-Identifier: Apache-2.0
/** The record of what really happened, kept in the one process that is never halted. */
@NullMarked
package io.safebunny.crash.ledger;

import org.jspecify.annotations.NullMarked;
