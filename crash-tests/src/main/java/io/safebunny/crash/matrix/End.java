// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.matrix;

/** How a saga ends. */
enum End {
    /** Everything was done. */
    FINISHED,
    /** The order is in the poison queue of its worker. */
    POISONED,
    /** The order was worked on; what it published is in the poison queue of the desk. */
    POISONED_AT_DESK,
    /** Nothing was committed, so nothing came of it. */
    NOTHING
}
