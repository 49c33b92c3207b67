// SPDX-License-Identifier: Apache-2.0
/**
 * The message that ends its process: what is done with one that may be it. Pure decisions with all their numbers; callers find out what is
 * known of a message, and carry out what is decided. Nothing here waits, counts or talks to anybody.
 */
@NullMarked
package io.safebunny.quarantine;

import org.jspecify.annotations.NullMarked;
