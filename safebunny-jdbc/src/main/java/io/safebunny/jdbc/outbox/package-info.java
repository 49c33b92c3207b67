// SPDX-License-Identifier: Apache-2.0
/**
 * Publications in the application's own transactions: stored in the transaction, sent after its commit, and relayed if they are still
 * unsent. Only the insert runs on the caller's thread.
 */
@NullMarked
package io.safebunny.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
