// SPDX-License-Identifier: Apache-2.0
/**
 * Decides what to do with a message that may be killing its process. Pure decisions with all their numbers: callers collect the
 * evidence and carry out the decision. Nothing here waits, counts or does I/O.
 */
@NullMarked
package io.safebunny.quarantine;

import org.jspecify.annotations.NullMarked;
