// SPDX-License-Identifier: Apache-2.0
/** What really happened, kept in the process that is never halted. */
@NullMarked
package io.safebunny.crash.ledger;

import org.jspecify.annotations.NullMarked;
