// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/** Where an application's middleware runs. */
public enum Group {
    /** Around the action: may skip it, repeat it, and see or replace its failure. */
    BEFORE,
    /** After the outcome is final, whether the action succeeded or not. A failure here is only logged. */
    AFTER
}
