// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/** Where a user's middleware runs. */
public enum Group {
    /** Around the action: may skip it, repeat it, see and replace its failure. */
    BEFORE,
    /** When the outcome is known, whether or not the action succeeded. A failure here is logged and changes nothing. */
    AFTER
}
