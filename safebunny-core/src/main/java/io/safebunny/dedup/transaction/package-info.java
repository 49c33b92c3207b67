// SPDX-License-Identifier: Apache-2.0
/** Claims by the lock on a record that is not committed yet, in the transaction of the handler. */
@NullMarked
package io.safebunny.dedup.transaction;

import org.jspecify.annotations.NullMarked;
