// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

/** How a saga ends. */
enum End {
    /** Everything was done. */
    FINISHED,
    /** The order is in the poison queue of its worker. */
    POISONED,
    /** The order was handled, but its publications are in the poison queue of the desk. */
    POISONED_AT_DESK,
    /** Nothing was committed, so it had no effect. */
    NOTHING
}
