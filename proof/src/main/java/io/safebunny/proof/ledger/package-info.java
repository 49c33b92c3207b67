// SPDX-License-Identifier: Apache-2.0
/** The record of what really happened, kept in the one process that is never halted. */
@NullMarked
package io.safebunny.proof.ledger;

import org.jspecify.annotations.NullMarked;
