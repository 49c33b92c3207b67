// SPDX-License-Identifier: Apache-2.0
/**
 * Publications of the application's own transactions: stored with them, sent after the commit, and again by whoever finds them unsent.
 * Nothing here waits on the caller's thread but the insert.
 */
@NullMarked
package io.safebunny.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
