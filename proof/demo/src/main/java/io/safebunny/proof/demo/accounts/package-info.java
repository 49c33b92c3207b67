// SPDX-License-Identifier: Apache-2.0
/** What came of the orders: where the ledger is stored, how it is counted, and the report. */
@NullMarked
package io.safebunny.proof.demo.accounts;

import org.jspecify.annotations.NullMarked;
